import { describe, expect, it } from 'vitest';
import { floorShare, isCredits } from './money.ts';

describe('isCredits', () => {
  it.each([0, 1, 1_000_000_000_000])('%s is an amount', (value) => {
    expect(isCredits(value)).toBe(true);
  });

  it.each([-1, 0.5, 1_000_000_000_001, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined, 1n])(
    '%s is none',
    (value) => {
      expect(isCredits(value)).toBe(false);
    },
  );
});

describe('floorShare', () => {
  it.each([
    [10, 1, 3, 3],
    [10, 2, 3, 6],
    [10, 3, 3, 10],
    [1, 0, 5, 0],
    [0, 4, 5, 0],
    [Number.MAX_SAFE_INTEGER, 999_999, 1_000_000, 9_007_190_247_541_736],
  ])('⌊%i × %i ÷ %i⌋ = %i', (amount, numerator, denominator, share) => {
    expect(floorShare(amount, numerator, denominator)).toBe(share);
  });

  it('never gives more in parts than the whole', () => {
    for (let whole = 0; whole < 40; whole += 1) {
      for (let parts = 1; parts < 12; parts += 1) {
        let sum = 0;
        for (let part = 0; part < parts; part += 1) sum += floorShare(whole, 1, parts);
        expect(sum).toBeLessThanOrEqual(whole);
        expect(whole - sum).toBeLessThan(parts);
      }
    }
  });

  it.each([
    [-1, 1, 1],
    [1, -1, 1],
    [1, 1, -1],
    [1.5, 1, 1],
    [Number.NaN, 1, 1],
    [2 ** 53, 1, 1],
    [1, 1, 0],
  ])('refuses %s × %s ÷ %s', (amount, numerator, denominator) => {
    expect(() => floorShare(amount, numerator, denominator)).toThrow(RangeError);
  });
});
