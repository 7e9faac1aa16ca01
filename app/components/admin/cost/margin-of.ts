import { minorDigits } from '#app/lib/format-money.ts';
import type { CostSum, ModelCosts, PaidCredits } from '#server/overview/schemas.ts';

const MICRO_DIGITS = 6;

/** What credits are worth in millionths of a currency, by what people paid for theirs; null: nobody paid in it. */
export function worthOf(credits: number, currency: string, paid: readonly PaidCredits[]): number | null {
  const bought = paid.find((each) => each.currency === currency);
  if (!bought) return null;
  const micros = bought.amountMinor * 10 ** (MICRO_DIGITS - minorDigits(currency));
  return Math.round((credits * micros) / bought.credits);
}

export type Margin = {
  sum: CostSum;
  /** Millionths; null: not comparable. */
  worthMicros: number | null;
  /** Share of the worth that is left after the known cost, in percent, rounded down; null: nothing to compare. */
  percent: number | null;
  /** The cost is not all known, so that less may be left. */
  isAtMost: boolean;
};

/**
 * What a model leaves in the one currency of its costs; null where there is none, or several: their shares of the credits
 * are not known.
 */
export function marginOf(model: ModelCosts, paid: readonly PaidCredits[]): Margin | null {
  const [sum, ...others] = model.sums;
  if (!sum || others.length > 0) return null;
  const worthMicros = worthOf(model.chargedCredits, sum.currency, paid);
  const percent =
    worthMicros === null || worthMicros === 0
      ? null
      : Math.floor(((worthMicros - sum.micros) / worthMicros) * 100);
  const isAtMost = sum.possibleCalls > 0 || sum.openCalls > 0 || model.unpricedCalls > 0;
  return { sum, worthMicros, percent, isAtMost };
}
