import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PriceRule, priceRule } from '#server/generation/price/schemas.ts';
import { deliveredUnits, settlement } from '#server/generation/settlement.ts';
import { priceOrder } from './pricing.ts';

const LARGEST = 10 ** 12;

describe('priceOrder', () => {
  it.each([
    ['call', {}, { units: 1, outputs: 1, seconds: 1, credits: 7 }],
    ['call', { n: 4, seconds: 9 }, { units: 1, outputs: 4, seconds: 9, credits: 7 }],
    ['output', {}, { units: 1, outputs: 1, seconds: 1, credits: 7 }],
    ['output', { n: 3 }, { units: 3, outputs: 3, seconds: 1, credits: 21 }],
    ['output', { n: '3' }, { units: 3, outputs: 3, seconds: 1, credits: 21 }],
    ['second', { seconds: 12 }, { units: 12, outputs: 1, seconds: 12, credits: 84 }],
    ['second', { seconds: '4', n: 2 }, { units: 8, outputs: 2, seconds: 4, credits: 56 }],
    ['second', { seconds: null }, { units: 1, outputs: 1, seconds: 1, credits: 7 }],
  ] as const)('per %s with %j', (unit, params, expected) => {
    expect(priceOrder({ unit, credits: 7 }, params)).toEqual(expected);
  });

  it.each([
    [{ max_tokens: 1_000 }, 0, 1],
    [{ max_tokens: 1_000 }, 1, 2],
    [{ max_tokens: 1 }, 0, 1],
    [{ max_tokens: 999, n: 3 }, 3, 3],
    [{ max_tokens: 999, n: 3 }, 4, 4],
  ])('per block of 1,000 tokens with %j and %d bytes of text: %d started blocks', (params, bytes, units) => {
    const price = { unit: 'tokens', credits: 7, blockTokens: 1_000 } as const;
    expect(priceOrder(price, params, bytes)).toMatchObject({ units, credits: 7 * units });
  });

  it('takes no price per block for an order without a bound', () => {
    const price = { unit: 'tokens', credits: 7, blockTokens: 1_000 } as const;
    expect(() => priceOrder(price, {}, 5)).toThrow(RangeError);
  });

  const tiered: PriceRule = {
    unit: 'output',
    credits: 4,
    tiers: [
      { when: { size: 'large', hd: true }, credits: 20 },
      { when: { size: 'large' }, credits: 10 },
      { when: { steps: 50 }, credits: 9 },
      { when: { size: 'free' }, credits: 0 },
    ],
  };
  it.each([
    [{ size: 'small' }, 4],
    [{ size: 'large' }, 10],
    [{ size: 'large', hd: false }, 10],
    [{ size: 'large', hd: true }, 20],
    [{ size: 'large', steps: 50 }, 10],
    [{ size: 'small', steps: 50 }, 9],
    [{ size: 'small', steps: '50' }, 9],
    [{ size: 'free' }, 0],
    [{}, 4],
  ])('the first tier that fits %j sets the price of an output to %d', (params, credits) => {
    expect(priceOrder(tiered, { ...params, n: 3 }).credits).toBe(3 * credits);
  });

  it('a price of 0 is 0', () => {
    expect(priceOrder({ unit: 'output', credits: 0 }, { n: 4 }).credits).toBe(0);
  });

  it.each([
    0,
    -1,
    -5,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    'two',
    '10.0',
    '1e3',
    '1e9',
    'NaN',
    '-5',
    ' 3',
    true,
    {},
    [],
    1_000_001,
    2_147_483_648,
    '2147483648',
    2 ** 63,
  ])('refuses %j as a factor (B50, B51)', (n) => {
    expect(() => priceOrder({ unit: 'output', credits: 7 }, { n })).toThrow(RangeError);
    expect(() => priceOrder({ unit: 'second', credits: 7 }, { seconds: n })).toThrow(RangeError);
    const tokens = { unit: 'tokens', credits: 7, blockTokens: 10 } as const;
    expect(() => priceOrder(tokens, { max_tokens: n })).toThrow(RangeError);
  });

  it('reaches the largest amount and refuses what passes it (B51)', () => {
    expect(priceOrder({ unit: 'output', credits: 1_000_000 }, { n: 1_000_000 }).credits).toBe(LARGEST);
    const most = { n: 1_000_000, seconds: 1_000_000 };
    expect(priceOrder({ unit: 'second', credits: 1 }, most).credits).toBe(LARGEST);
    const tokens = { unit: 'tokens', credits: 1, blockTokens: 1 } as const;
    const all = { n: 1_000_000, max_tokens: 1_000_000 };
    expect(priceOrder(tokens, all, 0).credits).toBe(LARGEST);
    for (const order of [
      () => priceOrder({ unit: 'output', credits: 1_000_001 }, { n: 1_000_000 }),
      () => priceOrder({ unit: 'second', credits: 1_000_000 }, most),
      () => priceOrder(tokens, all, 5_000_000),
    ]) {
      expect(order).toThrow('The price of this order is out of range');
    }
  });
});

const amount = fc.integer({ min: 0, max: 1_000_000 });
const size = fc.constantFrom('small', 'large');
const tier = fc.record({
  when: fc.oneof(
    fc.record({ size }),
    fc.record({ hd: fc.boolean() }),
    fc.record({ size, seconds: fc.integer({ min: 1, max: 60 }) }),
  ),
  credits: amount,
});
const rule: fc.Arbitrary<PriceRule> = fc
  .record({
    unit: fc.constantFrom('call', 'output', 'second', 'tokens'),
    credits: amount,
    blockTokens: fc.integer({ min: 1, max: 100_000 }),
    tiers: fc.array(tier, { maxLength: 30 }),
  })
  .map(({ blockTokens, ...price }) => (price.unit === 'tokens' ? { ...price, blockTokens } : price));
/** The dearest of these, 16 × 50,000 tokens and 96,000 bytes of input at a million credits each, is below the largest amount. */
const order = fc.record({
  n: fc.integer({ min: 1, max: 16 }),
  seconds: fc.integer({ min: 1, max: 60 }),
  max_tokens: fc.integer({ min: 1, max: 50_000 }),
  size,
  hd: fc.boolean(),
});
const bytes = fc.integer({ min: 0, max: 96_000 });

describe('a price, its quote and its charge', () => {
  it('what is delivered as asked costs what was quoted, for every rule and tier', () => {
    fc.assert(
      fc.property(rule, order, bytes, (price, params, inputBytes) => {
        expect(priceRule.safeParse(price).success).toBe(true);
        const ordered = priceOrder(price, params, inputBytes);
        const units = deliveredUnits({
          price,
          orderedUnits: ordered.units,
          orderedOutputs: ordered.outputs,
          orderedSeconds: ordered.seconds,
          stored: Array.from({ length: params.n }, () => params.seconds),
          reported: price.unit === 'tokens' ? params.n * params.max_tokens + inputBytes : params.seconds,
        });
        expect(units).toBe(ordered.units);
        expect(charge(ordered, units)).toBe(ordered.credits);
      }),
      { numRuns: 1_000 },
    );
  });

  it('nothing that upstream delivers or says costs more than was quoted, and a part costs whole units of it', () => {
    const length = fc.option(fc.double({ min: 0, max: 1_000, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(
        rule,
        order,
        bytes,
        fc.array(length, { minLength: 1, maxLength: 16 }),
        fc.option(fc.integer({ min: 0, max: 1_000_000_000 }), { nil: null }),
        (...[price, params, inputBytes, stored, reported]) => {
          const ordered = priceOrder(price, params, inputBytes);
          const units = deliveredUnits({
            price,
            orderedUnits: ordered.units,
            orderedOutputs: ordered.outputs,
            orderedSeconds: ordered.seconds,
            stored,
            reported,
          });
          expect(Number.isSafeInteger(units)).toBe(true);
          const charged = charge(ordered, units);
          expect(charged).toBeLessThanOrEqual(ordered.credits);
          expect(charged * ordered.units).toBe(ordered.credits * Math.min(units, ordered.units));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

function charge(ordered: { units: number; credits: number }, deliveredOf: number): number {
  const end = settlement({
    holdCredits: ordered.credits,
    orderedUnits: ordered.units,
    deliveredUnits: deliveredOf,
    billedOnCancel: false,
  });
  return end.type === 'capture' ? end.capturedCredits : 0;
}
