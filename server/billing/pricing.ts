import type { PriceRule } from '#server/generation/schemas.ts';
import { isCredits } from '#server/lib/money.ts';

export type Ordered = { units: number; outputs: number; credits: number };

/**
 * What an order costs, in integer credits: per call × 1, per output × `n`, per second × `seconds`. No rounding happens:
 * all factors are integers.
 *
 * @throws RangeError when a factor is not a positive integer or the product passes the largest amount
 */
export function priceOrder(price: PriceRule, params: Record<string, unknown>): Ordered {
  const outputs = positiveInteger(params.n, 1);
  const seconds = positiveInteger(params.seconds, 1);
  const units = price.unit === 'call' ? 1 : price.unit === 'output' ? outputs : seconds;
  const credits = price.credits * units;
  if (!isCredits(credits)) throw new RangeError('The price of this order is out of range');
  return { units, outputs, credits };
}

function positiveInteger(value: unknown, preset: number): number {
  if (value === undefined || value === null) return preset;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1 || number > 1_000_000) {
    throw new RangeError(`Not a positive whole number: ${String(value)}`);
  }
  return number;
}
