import { MOST_ATTEMPTS } from './schemas.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first failure, the second …; the last one is the longest there is. */
const DELAYS_MS = [
  10_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  12 * HOUR_MS,
];
const LONGEST_MS = 12 * HOUR_MS;
/** Deliveries that failed together do not come back together. */
const JITTER = 0.1;

/**
 * Milliseconds until the next try after `attempts` of them, up to 10 % more or less; never sooner than the receiver asked
 * for, as far as that is within 12 hours. Null: the tries are used up.
 */
export function nextTryInMs(input: {
  attempts: number;
  retryAfterMs?: number | undefined;
  random: () => number;
}): number | null {
  if (input.attempts >= MOST_ATTEMPTS) return null;
  const base = DELAYS_MS[input.attempts - 1] ?? LONGEST_MS;
  const delayMs = Math.round(base * (1 - JITTER + 2 * JITTER * input.random()));
  return Math.max(delayMs, Math.min(input.retryAfterMs ?? 0, LONGEST_MS));
}
