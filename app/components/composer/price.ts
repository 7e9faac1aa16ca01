import type { TFunction } from 'i18next';
import type { Format } from '#app/lib/use-format.ts';
import type { PriceRule } from '#server/generation/price/schemas.ts';
import { countUnits, mostTokens, textBytes, unitCreditsOf } from '#server/generation/price/shared.ts';
import type { ParameterSchema } from '#server/generation/schemas.ts';

/** What is in the form: parameters as typed, and the UTF-8 bytes of the prompt. */
export type FormOrder = { params: Record<string, unknown>; promptBytes?: number };

type Priced = { price: PriceRule; parameters: ParameterSchema };

/**
 * Credits that a submit would hold, for display while the form is filled in; counted as the server counts, whose quote
 * and hold decide. A model without the parameter that its price multiplies by orders one.
 */
export function creditsFor(model: Priced, order: FormOrder): number {
  return unitCreditsOf(model.price, order.params) * orderedUnits(model, order);
}

function orderedUnits({ price, parameters }: Priced, { params, promptBytes = 0 }: FormOrder): number {
  const outputs = countOf(params.n);
  return countUnits(price, {
    outputs,
    seconds: countOf(params.seconds) * outputs,
    tokens: mostTokens({
      outputs,
      maxTokens: countOf(params.max_tokens),
      inputBytes: promptBytes + textBytes(parameters, params),
    }),
  });
}

/** Some models offer their length as a choice, whose values are texts. */
function countOf(value: unknown): number {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : 1;
}

/** How the cost comes about, "2 outputs × 4 credits"; null when there is nothing to multiply. */
export function costBreakdown(
  { t, format }: { t: TFunction<'workbench'>; format: Format },
  model: Priced,
  order: FormOrder,
): string | null {
  const { price } = model;
  const units = orderedUnits(model, order);
  if (price.unit === 'call' || units === 1) return null;
  return t(`cost.breakdown.${price.unit}`, {
    units: format.integer(units),
    block: format.integer(price.blockTokens ?? 1),
    credits: format.credits(unitCreditsOf(price, order.params)),
  });
}
