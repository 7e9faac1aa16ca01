import type { Usage } from '#server/providers/provider.ts';
import type { PriceRule } from './price/schemas.ts';

/**
 * What upstream says it delivered, as the task's price counts it: tokens in and out where it counts tokens, else the
 * units (seconds). Null: it did not say.
 */
export function reportedUnits(usage: Usage | undefined, price: Pick<PriceRule, 'unit'>): number | null {
  if (price.unit !== 'tokens') return whole(usage?.units);
  const parts = [whole(usage?.inputTokens), whole(usage?.outputTokens)].filter((part) => part !== null);
  return parts.length === 0 ? null : whole(parts.reduce((sum, part) => sum + part, 0));
}

/** Fits an integer column. */
function whole(units: number | undefined): number | null {
  return units !== undefined && Number.isFinite(units) && units >= 0
    ? Math.min(Math.round(units), 1_000_000_000)
    : null;
}
