import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CostDelivery, costOf, freezeCost, orderedMicros } from './cost-of.ts';
import { type CostRule, type CostTerms, costRule } from './schemas.ts';

const rule = (over: Partial<CostRule> = {}): CostRule =>
  costRule.parse({ currency: 'USD', unit: 'output', micros: 40_000, ...over });

const terms = (over: Partial<CostTerms> = {}): CostTerms => ({
  currency: 'USD',
  unit: 'output',
  micros: 40_000,
  failures: 'unknown',
  ordered: { outputs: 1, seconds: 1 },
  ...over,
});

const delivery = (over: Partial<CostDelivery> = {}): CostDelivery => ({
  outputs: 1,
  stored: [null],
  usage: null,
  ...over,
});

describe('the rule of an order', () => {
  const order = { params: { size: '1024x1024', n: 2 }, outputs: 2, seconds: 1 };

  it('takes the amount of the first tier that matches, as a price does', () => {
    const tiers: CostRule['tiers'] = [
      { when: { size: '256x256' }, micros: 1 },
      { when: { size: '1024x1024', n: '2' }, micros: 80_000 },
      { when: { size: '1024x1024' }, micros: 70_000 },
    ];
    const frozen = freezeCost(rule({ tiers }), order);
    expect(frozen).toMatchObject({ micros: 80_000, ordered: { outputs: 2, seconds: 1 } });
    expect(frozen).not.toHaveProperty('tiers');
  });

  it('takes the base where no tier matches', () => {
    expect(freezeCost(rule({ tiers: [{ when: { size: 'huge' }, micros: 1 }] }), order).micros).toBe(40_000);
  });

  it.each<[CostTerms['unit'], number | null]>([
    ['call', 40_000],
    ['output', 120_000],
    ['second', 600_000],
    ['tokens', null],
  ])('per %s it comes to %s for three outputs of five seconds', (unit, micros) => {
    expect(orderedMicros(terms({ unit, blockTokens: 1_000, ordered: { outputs: 3, seconds: 5 } }))).toBe(
      micros,
    );
  });
});

describe('what was delivered', () => {
  it.each<[string, Partial<CostTerms>, Partial<CostDelivery>, number | null]>([
    ['a call, whatever came', { unit: 'call' }, { outputs: 4, stored: [null] }, 40_000],
    ['two of three outputs', { ordered: { outputs: 3, seconds: 1 } }, { outputs: 2 }, 80_000],
    ['more than was ordered: it is taken all the same', {}, { outputs: 3, stored: [null] }, 120_000],
    [
      'seconds as upstream reports, of each output',
      { unit: 'second' },
      { outputs: 2, usage: { units: 8 } },
      640_000,
    ],
    ['seconds as measured', { unit: 'second' }, { outputs: 2, stored: [4.96, 5.02] }, 400_000],
    ['seconds of a file that has none', { unit: 'second' }, { stored: [null] }, null],
    ['seconds of which a part is not stored', { unit: 'second' }, { outputs: 2, stored: [5] }, null],
    [
      'tokens in and out',
      { unit: 'tokens', blockTokens: 1_000_000, micros: 2_000_000 },
      { usage: { inputTokens: 1_500, outputTokens: 500 } },
      4_000,
    ],
    [
      'output tokens alone, with one price',
      { unit: 'tokens', blockTokens: 1_000 },
      { usage: { outputTokens: 500 } },
      20_000,
    ],
    [
      'two prices',
      { unit: 'tokens', blockTokens: 1_000, micros: 10, outputMicros: 30 },
      { usage: { inputTokens: 1_000, outputTokens: 100 } },
      13,
    ],
    [
      'two prices and one count',
      { unit: 'tokens', blockTokens: 1_000, outputMicros: 30 },
      { usage: { outputTokens: 100 } },
      null,
    ],
    ['tokens that nobody counted', { unit: 'tokens', blockTokens: 1_000 }, { usage: null }, null],
    [
      'a part of a micro',
      { unit: 'tokens', blockTokens: 1_000, micros: 1 },
      { usage: { inputTokens: 1 } },
      1,
    ],
  ])('%s', (_name, more, made, micros) => {
    expect(costOf(terms(more), delivery(made))?.micros ?? null).toBe(micros);
  });

  it.each<[CostTerms['failures'], number | null]>([
    ['free', 0],
    ['full', 80_000],
    ['unknown', null],
  ])('nothing, where failures are %s', (failures, micros) => {
    const cost = costOf(
      terms({ failures, ordered: { outputs: 2, seconds: 1 } }),
      delivery({ outputs: 0, stored: [] }),
    );
    expect(cost?.micros ?? null).toBe(micros);
  });

  it('nothing, of which nobody knows beforehand what was ordered, is not known', () => {
    const tokens = terms({ unit: 'tokens', blockTokens: 1_000, failures: 'full' });
    expect(costOf(tokens, delivery({ outputs: 0, stored: [] }))).toBeNull();
  });

  it("takes the vendor's own figure before every rule, 0 too, also of what failed", () => {
    const told = terms({ vendorCreditMicros: 10_000, failures: 'full' });
    expect(costOf(told, delivery({ usage: { vendorCredits: 25 } }))).toEqual({
      micros: 250_000,
      from: 'vendor',
    });
    expect(costOf(told, delivery({ outputs: 0, stored: [], usage: { vendorCredits: 0 } }))).toEqual({
      micros: 0,
      from: 'vendor',
    });
    expect(costOf(told, delivery({ usage: { vendorCredits: 0.5 } }))?.micros).toBe(5_000);
  });

  it("does not take the vendor's figure where nobody knows what a credit costs", () => {
    expect(costOf(terms(), delivery({ usage: { vendorCredits: 25 } }))).toEqual({
      micros: 40_000,
      from: 'terms',
    });
  });

  it('is not known where it passes what can be told exactly', () => {
    const huge = terms({ unit: 'tokens', blockTokens: 1, micros: 1_000_000_000_000 });
    expect(costOf(huge, delivery({ usage: { inputTokens: 2_000_000_000 } }))).toBeNull();
  });

  it('is a whole number of micros, never below the exact amount, and never a whole one above it', () => {
    const amounts = fc.record({
      micros: fc.integer({ min: 0, max: 1_000_000_000 }),
      tokens: fc.integer({ min: 0, max: 1_000_000 }),
      blockTokens: fc.integer({ min: 1, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(amounts, ({ micros, tokens, blockTokens }) => {
        const cost = costOf(
          terms({ unit: 'tokens', micros, blockTokens }),
          delivery({ usage: { inputTokens: tokens } }),
        );
        const above = BigInt(cost?.micros ?? -1) * BigInt(blockTokens) - BigInt(micros) * BigInt(tokens);
        expect(above >= 0n && above < BigInt(blockTokens)).toBe(true);
      }),
    );
  });
});

describe('a rule as it is written', () => {
  it.each<[string, object]>([
    ['tokens without a block', { unit: 'tokens' }],
    ['a block of anything else', { unit: 'call', blockTokens: 10 }],
    ['output tokens of anything else', { unit: 'call', outputMicros: 10 }],
    ['a currency that is none', { currency: 'usd' }],
    ['a part of a micro', { micros: 0.5 }],
    ['less than nothing', { micros: -1 }],
  ])('refuses %s', (_name, over) => {
    expect(costRule.safeParse({ currency: 'USD', unit: 'output', micros: 1, ...over }).success).toBe(false);
  });
});
