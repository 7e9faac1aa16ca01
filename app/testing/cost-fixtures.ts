import type { CostDay, CostSum, CostsView, ModelCosts } from '#server/overview/schemas.ts';

export function makeCostSum(overrides: Partial<CostSum> = {}): CostSum {
  return {
    currency: 'USD',
    micros: 500_000,
    knownCalls: 10,
    possibleMicros: 0,
    possibleCalls: 0,
    unboundedCalls: 0,
    openCalls: 0,
    ...overrides,
  };
}

export function makeModelCosts(overrides: Partial<ModelCosts> = {}): ModelCosts {
  return {
    modelId: '0190a0b0-0000-7000-8000-0000000000c1',
    title: 'Painter',
    chargedCredits: 100,
    sums: [makeCostSum()],
    unpricedCalls: 0,
    ...overrides,
  };
}

/** Two days, of which the second has all that can be. */
export function makeCostsView(overrides: Partial<CostsView> = {}): CostsView {
  const busy: CostDay = {
    from: new Date('2026-11-29T00:00:00Z'),
    chargedCredits: 100,
    sums: [makeCostSum({ possibleMicros: 40_000, possibleCalls: 2, unboundedCalls: 1, openCalls: 1 })],
    unpricedCalls: 3,
  };
  const quiet: CostDay = {
    from: new Date('2026-11-28T00:00:00Z'),
    chargedCredits: 0,
    sums: [],
    unpricedCalls: 0,
  };
  return {
    days: [quiet, busy],
    totals: busy,
    models: [makeModelCosts({ sums: busy.sums, unpricedCalls: 3 })],
    paid: [{ currency: 'USD', amountMinor: 1_000, credits: 500 }],
    ...overrides,
  };
}
