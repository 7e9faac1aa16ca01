import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryDelayMs } from './retry-delay.ts';

const pace = { retryBaseMs: 2_000, retryCapMs: 120_000 };
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

it('stays between half the base and the cap, and never comes before Retry-After', () => {
  fc.assert(
    fc.property(
      fc.nat(1_000),
      random,
      fc.option(fc.nat(86_400_000), { nil: undefined }),
      (failures, r, retryAfterMs) => {
        const delay = retryDelayMs({ failures, retryAfterMs, pace, random: () => r });
        expect(delay).toBeGreaterThanOrEqual(Math.max(pace.retryBaseMs / 2, retryAfterMs ?? 0));
        expect(delay).toBeLessThanOrEqual(Math.max(pace.retryCapMs, retryAfterMs ?? 0));
      },
    ),
  );
});

it('doubles with every failure up to the cap', () => {
  const delays = [1, 2, 3, 6, 7, 8, 10_000].map((failures) =>
    retryDelayMs({ failures, pace, random: () => 0 }),
  );
  expect(delays).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
});

it('leaves the upper half to chance', () => {
  expect(retryDelayMs({ failures: 2, pace, random: () => 0.5 })).toBe(3_000);
});
