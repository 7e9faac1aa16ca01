/**
 * Milliseconds to wait after `failures` in a row: doubles from the base to the cap, the upper half of it left to chance,
 * so that rows that failed together do not come back together. Never below what upstream asked for. `random` is uniform
 * in [0, 1).
 */
export function retryDelayMs(input: {
  /** 1 after the first. */
  failures: number;
  retryAfterMs?: number;
  pace: { retryBaseMs: number; retryCapMs: number };
  random: () => number;
}): number {
  const { pace } = input;
  const ceiling = Math.min(
    pace.retryCapMs,
    pace.retryBaseMs * 2 ** Math.min(Math.max(0, input.failures - 1), 30),
  );
  return Math.round(Math.max(ceiling / 2 + (ceiling / 2) * input.random(), input.retryAfterMs ?? 0));
}
