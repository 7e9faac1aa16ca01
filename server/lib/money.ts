/** Largest credit amount any input may name. Far below 2^53, so JavaScript numbers stay exact. */
const MAX_CREDITS = 1_000_000_000_000;

/** True for an integer number of credits between 0 and {@link MAX_CREDITS}. */
export function isCredits(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MAX_CREDITS;
}

/**
 * ⌊amount × numerator ÷ denominator⌋ in exact integer arithmetic. The one rounding rule of the product: a part of a
 * whole is always rounded down, so that Σ parts ≤ whole and the rest goes back to the user.
 *
 * @throws RangeError when an argument is not a non-negative safe integer or the denominator is 0.
 */
export function floorShare(amount: number, numerator: number, denominator: number): number {
  for (const value of [amount, numerator, denominator]) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`Not a non-negative integer: ${value}`);
  }
  if (denominator === 0) throw new RangeError('Cannot share by zero');
  return Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator));
}
