import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryDelayIn } from './retry-after.ts';

const retryInfo = (retryDelay: unknown) => ({ error: { message: 'x', details: [{}, { retryDelay }] } });

describe('retryDelayIn', () => {
  it.each<[string, unknown, number]>([
    ['RetryInfo', retryInfo('37s'), 37_000],
    ['RetryInfo with a fraction', retryInfo('0.847655010s'), 848],
    [
      'RetryInfo before the sentence',
      { error: { message: 'Retry in 5s.', details: [{ retryDelay: '9s' }] } },
      9_000,
    ],
    ['a throttling sentence', { detail: 'Request was throttled. Your rate limit resets in ~30s.' }, 30_000],
    ['a sentence in an error', { error: { message: 'Please try again in 1m30s.' } }, 90_000],
    ['a sentence in milliseconds', { message: 'Please retry in 250ms.' }, 250],
    ['whole words', { message: 'Try again in 2 minutes.' }, 120_000],
    ['hours', { error: 'Please retry after 3h' }, 10_800_000],
    ['more than a day', retryInfo('999999s'), 86_400_000],
  ])('reads %s', (_name, body, expected) => {
    expect(retryDelayIn(body)).toBe(expected);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no details', { error: { message: 'slow down' } }],
    ['details that are no list', { error: { details: 'x' } }],
    ['an empty delay', retryInfo('')],
    ['a delay without a unit', retryInfo('soon')],
    ['other numbers', { detail: 'You may send 6 requests in 10 s.' }],
    ['a retry without a time', { detail: 'Please retry later.' }],
  ])('finds none in %s', (_name, body) => {
    expect(retryDelayIn(body)).toBeUndefined();
  });

  it('gives a wait between nothing and a day, or none, whatever it is given', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^retry in ~?\d{1,9}(\.\d+)? ?(ms|s|m|h|d)\w*$/));
    fc.assert(
      fc.property(text, fc.boolean(), (words, isDelay) => {
        const wait = retryDelayIn(isDelay ? retryInfo(words) : { message: words });
        expect(wait === undefined || (Number.isInteger(wait) && wait >= 0 && wait <= 86_400_000)).toBe(true);
      }),
    );
  });
});
