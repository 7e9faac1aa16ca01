import { type OverviewBar, type OverviewView, WINDOW_BARS } from '#server/overview/schemas.ts';

const { barMs, bars } = WINDOW_BARS['24h'];
const FROM = Date.parse('2026-11-28T12:00:00Z');

/** A bar without tasks unless told. */
export function makeBar(number: number, overrides: Partial<OverviewBar> = {}): OverviewBar {
  return {
    from: new Date(FROM + number * barMs),
    submitted: 0,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    people: 0,
    chargedCredits: 0,
    boughtCredits: 0,
    ...overrides,
  };
}

/** A day on which nothing happened. */
export function makeOverview(overrides: Partial<OverviewView> = {}): OverviewView {
  return {
    window: '24h',
    barMs,
    bars: Array.from({ length: bars }, (_, number) => makeBar(number)),
    totals: {
      submitted: 0,
      succeeded: 0,
      failed: 0,
      cancelled: 0,
      people: 0,
      chargedCredits: 0,
      boughtCredits: 0,
    },
    models: [],
    failures: [],
    now: {
      live: {},
      due: 0,
      oldestDueSeconds: null,
      refunds: { pending: 0, manual: 0 },
      paymentRefunds: { pending: 0, manual: 0 },
      paymentMismatches: 0,
    },
    ledger: null,
    ...overrides,
  };
}
