import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLosslessJson } from './lossless-json.ts';
import { normaliseProgress } from './progress.ts';
import { parseRetryAfter } from './retry-after.ts';
import { readStatusWord } from './status-words.ts';
import { readUpstreamId } from './upstream-id.ts';

describe('parseLosslessJson', () => {
  it('B12: keeps an integer beyond 2^53 digit for digit, as text', () => {
    expect(parseLosslessJson('{"data":{"task_id":9007199254740993},"file_id":326174915891305}')).toEqual({
      data: { task_id: '9007199254740993' },
      file_id: 326174915891305,
    });
    expect(parseLosslessJson('[-9007199254740993, 0.12345678901234567890, 1e20, 9007199254740991]')).toEqual([
      '-9007199254740993',
      0.12345678901234568,
      1e20,
      9007199254740991,
    ]);
  });

  it('never throws and never leaves a parser object behind', () => {
    expect(parseLosslessJson('{"status":"comp')).toBeUndefined();
    expect(parseLosslessJson('')).toBeUndefined();
    expect(parseLosslessJson('['.repeat(500_000))).toBeUndefined();
    expect(parseLosslessJson(`${'['.repeat(500_000)}1234567890123456789`)).toBeUndefined();
    expect(parseLosslessJson('{"a":1,"a":12345678901234567890}')).toEqual({ a: '12345678901234567890' });
    expect(parseLosslessJson('\ufeff{"a":1}')).toEqual({ a: 1 });
    fc.assert(fc.property(fc.string(), (text) => void parseLosslessJson(text)));
  });

  it('agrees with JSON.parse wherever no digit is at stake', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        fc.pre(!/\d{16}/.test(json));
        const marked = `{"big":12345678901234567890,"rest":${json}}`;
        const parsed = parseLosslessJson(marked) as { big: string; rest: unknown };
        expect(parsed.big).toBe('12345678901234567890');
        expect(JSON.stringify(parsed.rest)).toBe(JSON.stringify(JSON.parse(json)));
      }),
    );
  });
});

describe('parseRetryAfter', () => {
  const now = new Date('2026-11-29T12:00:00Z');
  it.each([
    ['7', 7_000],
    [' 0 ', 0],
    ['1.5', 1_500],
    ['Sun, 29 Nov 2026 12:00:07 GMT', 7_000],
    ['Sun, 29 Nov 2026 11:00:00 GMT', 0],
    ['Sun Nov 29 12:00:09 2026', 9_000],
    ['999999999', 86_400_000],
    ['Mon, 29 Nov 2027 12:00:00 GMT', 86_400_000],
    ['-5', undefined],
    ['', undefined],
    ['soon', undefined],
    ['Infinity', undefined],
    ['7 apples', undefined],
    [undefined, undefined],
  ])('B28: reads %j as %j', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});

describe('normaliseProgress', () => {
  it.each([
    [0, 0],
    [0.42, 42],
    [1, 1],
    [30, 30],
    ['30%', 30],
    ['0.5%', 0],
    ['0.5', 50],
    [' 85 % ', 85],
    [100, 99],
    ['100%', 99],
    [1_000, 99],
    [-3, 0],
    [null, undefined],
    ['', undefined],
    ['soon', undefined],
    [Number.NaN, undefined],
    [{}, undefined],
  ])('reads %j as %j', (value, expected) => {
    expect(normaliseProgress(value)).toBe(expected);
  });
});

describe('readStatusWord', () => {
  it.each([
    ['succeed', 'succeeded'],
    ['succeeded', 'succeeded'],
    ['SUCCESS', 'succeeded'],
    ['Success ', 'succeeded'],
    ['complete', 'succeeded'],
    ['completed', 'succeeded'],
    ['done', 'succeeded'],
    ['canceled', 'cancelled'],
    ['cancelled', 'cancelled'],
    ['CANCEL', 'cancelled'],
    ['aborted', 'cancelled'],
    ['FAILURE', 'failed'],
    ['failed', 'failed'],
    ['nsfw', 'failed'],
    ['expired', 'failed'],
    ['timed-out', 'failed'],
    ['NOT_START', 'queued'],
    ['not-start', 'queued'],
    ['In Queue', 'queued'],
    ['IN_PROGRESS', 'running'],
    ['in-progress', 'running'],
    [2, 'running'],
    [3, 'succeeded'],
  ])('B16: %j means %s', (word, meaning) => {
    expect(readStatusWord(word).meaning).toBe(meaning);
  });

  it.each([
    'unknown',
    'post_processing',
    '',
    null,
    7,
    undefined,
    {},
    [],
    'constructor',
    '__proto__',
    'succeeded?',
  ])('B15: %j is no verdict', (word) => {
    expect(readStatusWord(word).meaning).toBeUndefined();
  });

  it('keeps the word as upstream spelt it', () => {
    expect(readStatusWord(' Post-Processing ').raw).toBe('Post-Processing');
    expect(readStatusWord('x'.repeat(1_000)).raw).toHaveLength(100);
  });
});

describe('readUpstreamId', () => {
  it.each([
    ['video_1', 'video_1'],
    [' 12345 ', '12345'],
    [42, '42'],
    ['9007199254740993', '9007199254740993'],
  ])('takes %j', (value, expected) => {
    expect(readUpstreamId(value)).toBe(expected);
  });

  it.each(['null', 'undefined', '[object Object]', 'NaN', '', '  ', '.', '..', 'a b'])(
    'B10: never takes %j',
    (value) => {
      expect(readUpstreamId(value)).toBeUndefined();
    },
  );

  it.each([null, undefined, {}, [], true, 1.5, Number.NaN, 2 ** 60, 0, -1, 'é', 'x'.repeat(501)])(
    'never takes %j',
    (value) => {
      expect(readUpstreamId(value)).toBeUndefined();
    },
  );
});
