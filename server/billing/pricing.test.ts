import { describe, expect, it } from 'vitest';
import { priceOrder } from './pricing.ts';

describe('priceOrder', () => {
  it.each([
    ['call', {}, { units: 1, outputs: 1, credits: 7 }],
    ['call', { n: 4, seconds: 9 }, { units: 1, outputs: 4, credits: 7 }],
    ['output', {}, { units: 1, outputs: 1, credits: 7 }],
    ['output', { n: 3 }, { units: 3, outputs: 3, credits: 21 }],
    ['output', { n: '3' }, { units: 3, outputs: 3, credits: 21 }],
    ['second', { seconds: 12 }, { units: 12, outputs: 1, credits: 84 }],
    ['second', { seconds: '4', n: 2 }, { units: 4, outputs: 2, credits: 28 }],
    ['second', { seconds: null }, { units: 1, outputs: 1, credits: 7 }],
  ] as const)('per %s with %j', (unit, params, expected) => {
    expect(priceOrder({ unit, credits: 7 }, params)).toEqual(expected);
  });

  it('a price of 0 is 0', () => {
    expect(priceOrder({ unit: 'output', credits: 0 }, { n: 4 }).credits).toBe(0);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '', 'two', '1e9', true, {}, [], 1_000_001])(
    'refuses %j as a factor',
    (n) => {
      expect(() => priceOrder({ unit: 'output', credits: 7 }, { n })).toThrow(RangeError);
    },
  );

  it('reaches the largest amount and refuses what passes it', () => {
    expect(priceOrder({ unit: 'output', credits: 1_000_000 }, { n: 1_000_000 }).credits).toBe(10 ** 12);
    expect(() => priceOrder({ unit: 'output', credits: 1_000_001 }, { n: 1_000_000 })).toThrow(
      'The price of this order is out of range',
    );
  });
});
