import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isModerated } from './error-envelope.ts';
import { decodeHex } from './inline-media.ts';
import { readResultUrls } from './job-reading.ts';
import { translateParams } from './request-params.ts';

describe('decodeHex', () => {
  it('gives the bytes back, in pieces, however often it is read', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.boolean(), (bytes, upper) => {
        const hex = Buffer.from(bytes).toString('hex');
        const pieces = decodeHex(upper ? hex.toUpperCase() : hex);
        expect(Buffer.concat([...(pieces ?? [])])).toEqual(Buffer.from(bytes));
        expect(Buffer.concat([...(pieces ?? [])])).toEqual(Buffer.from(bytes));
      }),
    );
    const large = decodeHex('ab'.repeat(1_500_000)) ?? [];
    expect([...large].map((piece) => piece.byteLength)).toEqual([524_288, 524_288, 451_424]);
  });

  it.each([undefined, '', 'abc', 'zz', '0x00', 'ab cd', `${'ab'.repeat(600_000)}zz`])(
    'has no bytes for anything else',
    (text) => {
      expect(decodeHex(text)).toBeUndefined();
    },
  );
});

describe('translateParams', () => {
  it('renames, and writes numbers and texts as the wire wants them', () => {
    const params = { seconds: '5', ratio: '16:9', seed: 'x', n: '2', empty: '', mode: 7, flag: false };
    expect(
      translateParams(params, {
        rename: { seconds: 'duration', ratio: 'aspect_ratio' },
        numbers: ['duration', 'seed'],
        texts: ['mode'],
      }),
    ).toEqual({ duration: 5, aspect_ratio: '16:9', seed: 'x', n: 2, mode: '7', flag: false });
  });
});

describe('shared tables', () => {
  it.each([
    ['DataInspectionFailed', '', true],
    ['InvalidParameter.DataInspection', 'Unable to download the media.', false],
    ['OutputImageRiskDetection', '', true],
    ['', 'Failure to pass the risk control system', true],
    ['', 'Input data may contain inappropriate content.', true],
    ['', 'The output may contain sensitive information.', true],
    ['', 'Out of memory.', false],
  ])('content decision by code %j and message %j: %s', (code, message, expected) => {
    expect(isModerated({ code, type: '', message })).toBe(expected);
  });

  it.each([
    { data: { task_result: { images: [{ index: 0, url: 'https://cdn.example/a' }] } } },
    { task_result: { images: [{ url: 'https://cdn.example/a' }] } },
    { output: { results: [{ code: 'x' }, { url: 'https://cdn.example/a' }] } },
    { output: { results: { video_url: 'https://cdn.example/a' } } },
  ])('finds the address in %j', (body) => {
    expect(readResultUrls(body)).toEqual(['https://cdn.example/a']);
  });
});
