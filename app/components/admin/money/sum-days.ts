import type { DaySummary } from '#server/billing/schemas.ts';

/** What moved in a currency, in its minor unit. */
type CurrencyTotal = { currency: string; revenueMinor: number; refundedMinor: number };

export const CREDIT_MOVES = [
  'givenCredits',
  'purchasedCredits',
  'chargedCredits',
  'returnedCredits',
  'expiredCredits',
  'takenBackCredits',
] as const satisfies readonly (keyof DaySummary)[];
type CreditMove = (typeof CREDIT_MOVES)[number];

export type SummaryTotals = Record<CreditMove, number> & {
  ordersPaid: number;
  /** By code. Amounts of two currencies are never added. */
  currencies: CurrencyTotal[];
};

/** The days of a summary as one. */
export function sumDays(days: readonly DaySummary[]): SummaryTotals {
  const sum = (field: CreditMove | 'ordersPaid') => days.reduce((total, day) => total + day[field], 0);
  return {
    givenCredits: sum('givenCredits'),
    purchasedCredits: sum('purchasedCredits'),
    chargedCredits: sum('chargedCredits'),
    returnedCredits: sum('returnedCredits'),
    expiredCredits: sum('expiredCredits'),
    takenBackCredits: sum('takenBackCredits'),
    ordersPaid: sum('ordersPaid'),
    currencies: sumCurrencies(days),
  };
}

function sumCurrencies(days: readonly DaySummary[]): CurrencyTotal[] {
  const codes = new Set(
    days.flatMap((day) => [...Object.keys(day.revenue), ...Object.keys(day.moneyRefunded)]),
  );
  return [...codes].sort().map((currency) => ({
    currency,
    revenueMinor: days.reduce((total, day) => total + (day.revenue[currency] ?? 0), 0),
    refundedMinor: days.reduce((total, day) => total + (day.moneyRefunded[currency] ?? 0), 0),
  }));
}

/** Whether anything happened on a day. */
export function moved(day: DaySummary): boolean {
  return (
    day.ordersPaid > 0 ||
    CREDIT_MOVES.some((field) => day[field] > 0) ||
    Object.values(day.moneyRefunded).some((amount) => amount > 0)
  );
}
