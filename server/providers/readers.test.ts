import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextProgress } from '#server/generation/poll-schedule.ts';
import { readJobId, readJobProgress, readJobStatus, readResultUrls } from './job-reading.ts';
import { asRecord, isHttpUrl } from './json.ts';
import { normaliseProgress } from './progress.ts';
import { parseRetryAfter } from './retry-after.ts';
import { readStatusWord } from './status-words.ts';
import { readUpstreamId } from './upstream-id.ts';

/** Properties of the readers that every protocol shares: whatever an upstream sends, they hold. */

const DAY_MS = 86_400_000;
const FAILURES = ['failed', 'FAILURE', 'Fail', 'error', 'nsfw', 'expired', 'timeout', 'rejected'];
const SUCCESSES = ['succeeded', 'succeed', 'SUCCESS', 'Completed', 'complete', 'done', 'finished'];

/** Spellings of one word that mean the same: case, space around it, `-` or space for `_`. */
const spelling = (word: string) =>
  fc
    .tuple(
      fc.array(fc.boolean(), { minLength: word.length, maxLength: word.length }),
      fc.constantFrom('', ' ', '\t'),
    )
    .map(
      ([upper, space]) => space + [...word].map((c, i) => (upper[i] ? c.toUpperCase() : c)).join('') + space,
    );

const json = fc.jsonValue().map((value) => asRecord(value) ?? { data: value });

describe('status words', () => {
  it('mean the same in every spelling', () => {
    for (const word of [...FAILURES, ...SUCCESSES]) {
      const { meaning } = readStatusWord(word);
      fc.assert(
        fc.property(spelling(word), (text) => {
          expect(readStatusWord(text).meaning).toBe(meaning);
        }),
      );
    }
  });

  it('have no meaning when nobody has documented them', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), (word) => {
        fc.pre(!/^[\sa-z_-]*$/i.test(word));
        expect(readStatusWord(word).meaning).toBeUndefined();
      }),
    );
  });

  it('never throw, and never make a verdict of what is not a word', () => {
    fc.assert(
      fc.property(fc.oneof(fc.object(), fc.array(fc.string()), fc.boolean(), fc.constant(null)), (value) => {
        expect(readStatusWord(value)).toMatchObject({ meaning: undefined, moderated: false });
      }),
    );
  });
});

describe('progress', () => {
  it('is a whole number from 0 to 99, or nothing', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const progress = normaliseProgress(value);
        if (progress === undefined) return;
        expect(Number.isInteger(progress) && progress >= 0 && progress <= 99).toBe(true);
      }),
    );
  });

  it('never goes back, whatever order upstream reports in', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer(), fc.double(), fc.constant(undefined))), (reports) => {
        let shown: number | null = null;
        for (const report of reports) {
          const next = nextProgress(shown, report);
          expect(next ?? 0).toBeGreaterThanOrEqual(shown ?? 0);
          expect(next ?? 0).toBeLessThanOrEqual(99);
          shown = next;
        }
      }),
    );
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-11-29T12:00:00Z');

  it('is between nothing and a day, in seconds and as a date', () => {
    const header = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(header, (text) => {
        const ms = parseRetryAfter(text, now);
        if (ms !== undefined) expect(ms >= 0 && ms <= DAY_MS).toBe(true);
      }),
    );
  });

  it('says the same in both forms', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 86_400 }), (seconds) => {
        const date = new Date(now.getTime() + seconds * 1000).toUTCString();
        expect(parseRetryAfter(String(seconds), now)).toBe(parseRetryAfter(date, now));
      }),
    );
  });
});

describe('ids', () => {
  it('are text without space that a path can carry, or nothing', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const id = readUpstreamId(value);
        if (id === undefined) return;
        expect(id).toMatch(/^[\x21-\x7e]{1,500}$/);
        expect(['null', 'undefined', '[object Object]', 'NaN']).not.toContain(id);
        expect(decodeURIComponent(encodeURIComponent(id))).toBe(id);
      }),
    );
  });

  it('keep every digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), (number) => {
        expect(readUpstreamId(String(number))).toBe(String(number));
      }),
    );
  });
});

describe('whatever JSON an upstream sends', () => {
  it('result addresses are complete http(s) addresses, each once', () => {
    fc.assert(
      fc.property(json, (body) => {
        const urls = readResultUrls(body);
        expect(urls.every(isHttpUrl)).toBe(true);
        expect(new Set(urls).size).toBe(urls.length);
      }),
    );
  });

  it('an address is found wherever upstreams put it, and a file or script address never is', () => {
    const at = fc.constantFrom('url', 'video_url', 'result_url', 'output');
    fc.assert(
      fc.property(at, fc.webUrl(), fc.boolean(), (name, url, wrapped) => {
        const body = wrapped ? { data: { [name]: url } } : { [name]: url };
        expect(readResultUrls(body)).toEqual([url]);
      }),
    );
    for (const bad of [
      'file:///etc/passwd',
      'ftp://x/y',
      '//host/x',
      'javascript:alert(1)',
      'data:text/html,x',
    ])
      expect(readResultUrls({ url: bad, data: { url: bad }, output: [bad] })).toEqual([]);
  });

  it('id, status and progress are read without throwing', () => {
    fc.assert(
      fc.property(json, (body) => {
        readJobId(body);
        readJobStatus(body);
        const progress = readJobProgress(body);
        if (progress !== undefined) expect(progress >= 0 && progress <= 99).toBe(true);
      }),
    );
  });
});
