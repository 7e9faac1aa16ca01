import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  judgeMissing,
  judgeOverdue,
  MISSING_GRACE_MS,
  nextProgress,
  pollDelayMs,
  UNREACHABLE_GRACE_MS,
} from './poll-schedule.ts';

const pace = { pollFirstMs: 2_000, pollCapMs: 30_000 };
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('delays', () => {
  it('polls stay between the first delay and the cap, with a fifth of jitter, and never before Retry-After', () => {
    fc.assert(
      fc.property(
        fc.nat(10_000),
        random,
        fc.option(fc.nat(86_400_000), { nil: undefined }),
        (pollCount, r, retryAfterMs) => {
          const delay = pollDelayMs({ pollCount, retryAfterMs, pace, random: () => r });
          expect(delay).toBeGreaterThanOrEqual(Math.max(0.8 * pace.pollFirstMs, retryAfterMs ?? 0));
          expect(delay).toBeLessThanOrEqual(Math.max(1.2 * pace.pollCapMs, retryAfterMs ?? 0));
        },
      ),
    );
  });
});

describe('verdicts', () => {
  it('a 404 needs the grace period and three in a row (B30)', () => {
    expect(judgeMissing({ strikes: 50, sinceAcceptedMs: MISSING_GRACE_MS - 1 })).toBe('wait');
    expect(judgeMissing({ strikes: 2, sinceAcceptedMs: MISSING_GRACE_MS * 9 })).toBe('wait');
    expect(judgeMissing({ strikes: 3, sinceAcceptedMs: MISSING_GRACE_MS })).toBe('missing');
  });

  it('the deadline alone is no verdict while upstream does not answer', () => {
    expect(judgeOverdue({ pastDeadlineMs: 1, answered: true, failures: 0 })).toBe(true);
    expect(judgeOverdue({ pastDeadlineMs: 1, answered: false, failures: 99 })).toBe(false);
    expect(judgeOverdue({ pastDeadlineMs: UNREACHABLE_GRACE_MS, answered: false, failures: 4 })).toBe(false);
    expect(judgeOverdue({ pastDeadlineMs: UNREACHABLE_GRACE_MS, answered: false, failures: 5 })).toBe(true);
    expect(judgeOverdue({ pastDeadlineMs: -1, answered: true, failures: 99 })).toBe(false);
  });

  it('progress never goes back and does not reach 100 by upstream’s word', () => {
    fc.assert(
      fc.property(fc.array(fc.double(), { maxLength: 30 }), (reports) => {
        let shown: number | null = null;
        for (const report of reports) {
          const next = nextProgress(shown, report);
          if (shown !== null) expect(next).toBeGreaterThanOrEqual(shown);
          if (next !== null) expect(next).toBeLessThan(100);
          shown = next;
        }
      }),
    );
  });
});
