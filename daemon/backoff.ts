/** Shortest pause of any lane, so that no mistake turns into a busy loop. */
export const MIN_SLEEP_MS = 250;

export type BackoffInput = {
  /** Failures in a row, from 1. */
  failures: number;
  baseMs: number;
  capMs: number;
  /** Uniform in [0, 1). */
  random: number;
};

/**
 * Exponential back-off with full jitter: uniform between 250 ms and min(cap, base × 2^(failures − 1)), in whole
 * milliseconds. Full jitter spreads daemons that lost the same web process at the same moment.
 */
export function backoffMs({ failures, baseMs, capMs, random }: BackoffInput): number {
  const exponent = Math.min(Math.max(failures, 1) - 1, 30);
  const ceiling = Math.max(Math.min(capMs, baseMs * 2 ** exponent), MIN_SLEEP_MS);
  return MIN_SLEEP_MS + Math.floor(random * (ceiling - MIN_SLEEP_MS + 1));
}

/** Pause of a lane that found nothing: until the next row is due, at least 250 ms and at most `idleMs`. */
export function idleSleepMs(nextDueAt: Date | null, now: number, idleMs: number): number {
  if (nextDueAt === null) return Math.max(idleMs, MIN_SLEEP_MS);
  return Math.max(Math.min(nextDueAt.getTime() - now, idleMs), MIN_SLEEP_MS);
}
