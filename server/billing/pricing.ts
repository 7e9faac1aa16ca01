import type { PriceRule } from '#server/generation/price/schemas.ts';
import { countUnits, mostTokens, unitCreditsOf } from '#server/generation/price/shared.ts';
import { isCredits } from '#server/lib/money.ts';

export type Ordered = {
  /** Whole units under the price rule. */
  units: number;
  outputs: number;
  /** Of each output. */
  seconds: number;
  credits: number;
};

/** Largest count of outputs, seconds or tokens that an order may name. */
const MAX_COUNT = 1_000_000;

/**
 * What an order costs, in integer credits: the credits of its tier × whole units. No rounding happens but that a started
 * block of tokens counts; a settlement shares the result by `floorShare`, down.
 *
 * @param inputBytes UTF-8 bytes of everything that is sent as text; counts for prices per block of tokens only
 * @throws RangeError when a factor is not a positive integer or the product passes the largest amount
 */
export function priceOrder(price: PriceRule, params: Record<string, unknown>, inputBytes = 0): Ordered {
  const outputs = positiveInteger(params.n, 1);
  const seconds = positiveInteger(params.seconds, 1);
  const maxTokens = price.unit === 'tokens' ? positiveInteger(params.max_tokens, undefined) : 0;
  const units = countUnits(price, {
    outputs,
    seconds: seconds * outputs,
    tokens: mostTokens({ outputs, maxTokens, inputBytes }),
  });
  const credits = unitCreditsOf(price, params) * units;
  if (!isCredits(credits)) throw new RangeError('The price of this order is out of range');
  return { units, outputs, seconds, credits };
}

function positiveInteger(value: unknown, preset: number | undefined): number {
  if ((value === undefined || value === null) && preset !== undefined) return preset;
  const number = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1 || number > MAX_COUNT) {
    throw new RangeError(`Not a positive whole number: ${String(value)}`);
  }
  return number;
}
