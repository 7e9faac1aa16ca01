/** Highest progress shown before the result is stored. */
const CAP = 99;

/**
 * Progress of an upstream as an integer between 0 and 99, or undefined. Vendors send 0..1, 0..100, "30%" and "30"
 *; only a number strictly between 0 and 1 is read as a fraction, so the integer 1 is one percent.
 */
export function normaliseProgress(value: unknown): number | undefined {
  const number = toNumber(value);
  if (number === undefined || !Number.isFinite(number)) return undefined;
  const percent = number > 0 && number < 1 && !isPercentText(value) ? number * 100 : number;
  return Math.min(Math.max(Math.floor(percent), 0), CAP);
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const match = /^\s*(-?\d{1,12}(?:\.\d{1,12})?)\s*%?\s*$/.exec(value);
  return match ? Number(match[1]) : undefined;
}

function isPercentText(value: unknown): boolean {
  return typeof value === 'string' && value.includes('%');
}
