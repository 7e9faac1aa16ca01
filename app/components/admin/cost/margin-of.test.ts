import { describe, expect, it } from 'vitest';
import { makeCostSum, makeModelCosts } from '#app/testing/cost-fixtures.ts';
import { formatMicros, parseAmount, toAmountText } from './format-micros.ts';
import { marginOf, worthOf } from './margin-of.ts';

const PAID = [
  { currency: 'USD', amountMinor: 1_000, credits: 500 },
  { currency: 'JPY', amountMinor: 3_000, credits: 2_000 },
];

describe('what credits are worth', () => {
  it.each([
    ['USD', 100, 2_000_000],
    ['JPY', 100, 150_000_000],
    ['USD', 0, 0],
    ['EUR', 100, null],
  ])('in %s: %s credits', (currency, credits, micros) => {
    expect(worthOf(credits, currency, PAID)).toBe(micros);
  });
});

describe('a margin', () => {
  it('is what is left of the worth after the known cost', () => {
    const model = makeModelCosts({ chargedCredits: 100, sums: [makeCostSum({ micros: 500_000 })] });
    expect(marginOf(model, PAID)).toMatchObject({ worthMicros: 2_000_000, percent: 75, isAtMost: false });
  });

  it('may be below nothing', () => {
    const model = makeModelCosts({ chargedCredits: 100, sums: [makeCostSum({ micros: 3_000_000 })] });
    expect(marginOf(model, PAID)?.percent).toBe(-50);
  });

  it.each([
    ['possibly spent', { sums: [makeCostSum({ possibleCalls: 1 })] }],
    ['under way', { sums: [makeCostSum({ openCalls: 1 })] }],
    ['without a written cost', { unpricedCalls: 1 }],
  ])('is at most so much where some calls are %s', (_name, more) => {
    expect(marginOf(makeModelCosts(more), PAID)?.isAtMost).toBe(true);
  });

  it('is not told without a cost, of several currencies, of one nobody paid in, or of nothing charged', () => {
    expect(marginOf(makeModelCosts({ sums: [] }), PAID)).toBeNull();
    expect(
      marginOf(makeModelCosts({ sums: [makeCostSum(), makeCostSum({ currency: 'EUR' })] }), PAID),
    ).toBeNull();
    expect(marginOf(makeModelCosts({ sums: [makeCostSum({ currency: 'EUR' })] }), PAID)?.percent).toBeNull();
    expect(marginOf(makeModelCosts({ chargedCredits: 0 }), PAID)?.percent).toBeNull();
  });
});

describe('amounts', () => {
  it.each([
    ['0', 0],
    ['0.04', 40_000],
    ['0,04', 40_000],
    [' 1.000001 ', 1_000_001],
    ['1000000', 1_000_000_000_000],
    ['', undefined],
    ['1e3', undefined],
    ['-1', undefined],
    ['0.0000001', undefined],
    ['.5', undefined],
  ])('%j is typed for %s', (text, micros) => {
    expect(parseAmount(text)).toBe(micros);
  });

  it.each([0, 1, 40_000, 999_999, 1_000_000, 123_456_789])('%s is read again as it was written', (micros) => {
    expect(parseAmount(toAmountText(micros))).toBe(micros);
  });

  it.each([
    [1_234_567, 'USD', {}, 'US$1.23'],
    [2_500, 'USD', {}, 'US$0.0025'],
    [0, 'USD', {}, 'US$0.00'],
    [1_234_567, 'USD', { exact: true }, 'US$1.234567'],
    [1_500_000, 'KWD', {}, 'KWD 1.500'],
  ] as const)('%s of %s %j is written %s', (micros, currency, options, text) => {
    expect(formatMicros(micros, currency, 'en', options).replaceAll('\u00a0', ' ')).toBe(text);
  });
});
