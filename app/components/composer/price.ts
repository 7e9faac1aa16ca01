import { formatCredits, formatInteger } from '#app/lib/format.ts';
import type { PriceRule } from '#server/generation/schemas.ts';

/**
 * Credits that a submit would hold, for display while the form is filled in; the server's quote and hold decide.
 * Per output the rule multiplies by `n`, per second by `seconds`; a model without that parameter orders one.
 */
export function creditsFor(price: PriceRule, params: Record<string, unknown>): number {
  return price.credits * orderedUnits(price, params);
}

function orderedUnits(price: PriceRule, params: Record<string, unknown>): number {
  if (price.unit === 'call') return 1;
  const value = params[price.unit === 'output' ? 'n' : 'seconds'];
  // Some models offer their length as a choice, whose values are texts.
  const units = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof units === 'number' && Number.isInteger(units) && units > 0 ? units : 1;
}

/** How the cost comes about, "2 outputs × 4 credits"; null when there is nothing to multiply. */
export function costBreakdown(price: PriceRule, params: Record<string, unknown>): string | null {
  const units = orderedUnits(price, params);
  if (price.unit === 'call' || units === 1) return null;
  return `${formatInteger(units)} ${price.unit === 'output' ? 'outputs' : 'seconds'} × ${formatCredits(price.credits)}`;
}
