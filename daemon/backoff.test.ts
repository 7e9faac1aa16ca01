import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, idleSleepMs, MIN_SLEEP_MS } from './backoff.ts';

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('backoffMs', () => {
  it('stays between 250 ms and the cap for every number of failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: 250, max: 600_000 }),
        unit,
        (failures, baseMs, capMs, random) => {
          const ms = backoffMs({ failures, baseMs, capMs, random });
          expect(Number.isInteger(ms)).toBe(true);
          expect(ms).toBeGreaterThanOrEqual(MIN_SLEEP_MS);
          expect(ms).toBeLessThanOrEqual(capMs);
        },
      ),
    );
  });

  it('never shrinks its ceiling with one more failure', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (failures) => {
        const ceiling = (count: number) =>
          backoffMs({ failures: count, baseMs: 1_000, capMs: 60_000, random: 0.999_999 });
        expect(ceiling(failures + 1)).toBeGreaterThanOrEqual(ceiling(failures));
      }),
    );
  });

  it('uses the whole range below the ceiling (full jitter)', () => {
    const at = (random: number) => backoffMs({ failures: 4, baseMs: 1_000, capMs: 60_000, random });
    expect(at(0)).toBe(250);
    expect(at(0.5)).toBe(250 + Math.floor(0.5 * 7_751));
    expect(at(0.999_999)).toBe(8_000);
  });
});

describe('idleSleepMs', () => {
  it('sleeps until the next row is due, at least 250 ms and at most the lane’s own limit', () => {
    const due = (ms: number) => idleSleepMs(new Date(1_000_000 + ms), 1_000_000, 2_000);
    expect(due(-5_000)).toBe(250);
    expect(due(700)).toBe(700);
    expect(due(90_000)).toBe(2_000);
    expect(idleSleepMs(null, 1_000_000, 2_000)).toBe(2_000);
  });
});
