import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';

const upstream = createMockUpstream({ protocol: 'replicate' });
const SENT_AT = new Date('2026-11-29T12:00:00Z');
const OUR_WEBHOOK = 'https://us.example/webhooks/c1?ref=dispatch-1&sig=abc';
const LIST = `${upstream.access.baseUrl}/predictions`;

/** A prediction of somebody else on the same account, a little after our create was sent. */
const prediction = (id: string, more: object = {}) => ({
  id,
  status: 'succeeded',
  created_at: '2026-11-29T12:00:05.123456Z',
  input: { prompt: 'a dog' },
  data_removed: false,
  urls: { get: `${LIST}/${id}` },
  ...more,
});

function lookup(...pages: (Answer | object[])[]) {
  const answers = pages.map((page, index) =>
    Array.isArray(page)
      ? {
          json: {
            previous: null,
            next: index + 1 < pages.length ? `${LIST}?cursor=${index + 1}` : null,
            results: page,
          },
        }
      : page,
  );
  upstream.reply('get', '/predictions', ...answers);
  return upstream.lookup({ sentAt: SENT_AT });
}

describe('a look-up by the webhook that carries our reference', () => {
  it('finds our prediction, on whatever page', async () => {
    const outcome = await lookup([prediction('other')], [prediction('ours', { webhook: OUR_WEBHOOK })]);
    expect(outcome).toEqual({
      type: 'found',
      upstreamId: 'ours',
      pollRef: { id: 'ours', endpoint: 'video', pollUrl: `${LIST}/ours` },
    });
    const [first, second] = upstream.seen;
    expect(first?.query.get('created_after')).toBe('2026-11-29T11:50:00.000Z');
    expect(second?.query.get('cursor')).toBe('1');
    expect(upstream.creates()).toEqual([]);
  });

  it.each([
    ['is another one', 'https://us.example/webhooks/c1?ref=dispatch-12&sig=abc'],
    ['is only a part of another', 'https://us.example/webhooks/dispatch-1?ref=x'],
  ])('does not find one whose reference %s', async (_name, webhook) => {
    expect(await lookup([prediction('x', { webhook })])).toEqual({ type: 'absent' });
  });
});

describe('absence is proven', () => {
  it('by a whole listing in which every prediction is another one', async () => {
    const foreign = { webhook: OUR_WEBHOOK.replace('dispatch-1', 'dispatch-9'), input: { prompt: 'a cat' } };
    expect(await lookup([prediction('a'), prediction('b', foreign)], [prediction('c')])).toEqual({
      type: 'absent',
    });
  });

  it('when the order shows the end of the window, whatever came before it', async () => {
    const old = { created_at: '2026-11-29T11:49:59Z', input: { prompt: 'a cat' } };
    upstream.reply('get', '/predictions', {
      json: { next: `${LIST}?cursor=9`, results: [prediction('a'), prediction('b', old)] },
    });
    expect(await upstream.lookup({ sentAt: SENT_AT })).toEqual({ type: 'absent' });
    expect(upstream.seen).toHaveLength(1);
  });
});

describe('absence is not claimed', () => {
  it.each<[string, object]>([
    ['has our prompt and no webhook', { input: { prompt: ' a  cat' } }],
    ['has our prompt under another name', { input: { text: 'a cat' } }],
    ['has lost its input', { input: {}, data_removed: true }],
    ['shows no input', { input: undefined }],
    ['has our webhook but no id', { id: null, webhook: OUR_WEBHOOK }],
  ])('when a prediction of the window %s', async (_name, more) => {
    expect(await lookup([prediction('x', more)])).toEqual({ type: 'cannot_tell' });
  });

  it.each<[string, Answer]>([
    ['refused', { status: 401, json: { detail: 'no' } }],
    ['an error that looks like an empty one', { status: 500, json: { results: [], next: null } }],
    ['broken', { broken: true }],
    ['not a listing', { json: { results: 'none' } }],
    ['HTML', { text: '<html></html>' }],
    ['cut', { text: '{"next":null,"resul' }],
    [
      'continued on another host',
      { json: { results: [], next: 'https://evil.example/v1/predictions?cursor=1' } },
    ],
    ['continued nowhere', { json: { results: [], next: 'http://[' } }],
    ['empty, of a gateway that is not Replicate', { json: { results: [], next: null } }],
  ])('when the listing is %s', async (_name, answer) => {
    expect(await lookup(answer)).toEqual({ type: 'cannot_tell' });
  });

  it('when a later page fails', async () => {
    expect(await lookup([prediction('a')], { status: 500, text: 'x' })).toEqual({ type: 'cannot_tell' });
  });

  it('when the listing has no end', async () => {
    upstream.reply('get', '/predictions', { json: { results: [prediction('a')], next: `${LIST}?cursor=1` } });
    expect(await upstream.lookup({ sentAt: SENT_AT })).toEqual({ type: 'cannot_tell' });
    expect(upstream.seen.length).toBeLessThanOrEqual(20);
  });
});
