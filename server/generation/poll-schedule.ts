/** Pure time arithmetic of polls. All values are milliseconds; `random` is uniform in [0, 1). */

export type Pace = { pollFirstMs: number; pollCapMs: number };

/** Grace after the acceptance in which a 404 means nothing (upstream's own replication). */
export const MISSING_GRACE_MS = 120_000;
/** Consecutive 404 answers that make a job `missing`, once the grace is over. */
const MISSING_STRIKES = 3;
/** How often an `uncertain` job that has an upstream id is asked again. */
export const UNCERTAIN_POLL_MS = 300_000;
/** Upstream answers that may be spent on fetching the artefacts of one success. */
export const ARCHIVE_TRIES = 6;
/** Creates that may be tried for one task (each proven not to have started the one before). */
export const CREATE_TRIES = 20;
/** How long a task may go on trying after its first refused create. */
export const REFUSED_WINDOW_MS = 24 * 3_600_000;
/** Bytes that are in our own hands already are worth a day of storage faults. */
const OWN_BYTES_WINDOW_MS = 24 * 3_600_000;
/** How long past the deadline unanswered polls are borne before the job is `overdue`. */
export const UNREACHABLE_GRACE_MS = 1_800_000;

/**
 * Delay before the next poll: grows by half from the first delay to the cap, ±20 % jitter, never below what upstream
 * asked for.
 */
export function pollDelayMs(input: {
  pollCount: number;
  retryAfterMs?: number;
  /** The vendor's own minimum between two polls. */
  leastMs?: number;
  pace: Pace;
  random: () => number;
}): number {
  const { pace } = input;
  const grown = Math.min(pace.pollCapMs, pace.pollFirstMs * 1.5 ** Math.min(input.pollCount, 40));
  const jittered = grown * (0.8 + 0.4 * input.random());
  return Math.round(Math.max(jittered, input.retryAfterMs ?? 0, input.leastMs ?? 0));
}

/** How long storage faults are retried: as long as upstream keeps the result, at least a day for bytes that we have. */
export function archiveWindowMs(upstreamMs: number, artefacts: readonly { type: string }[]): number {
  const ours = artefacts.length > 0 && artefacts.every((artefact) => artefact.type !== 'url');
  return ours ? Math.max(upstreamMs, OWN_BYTES_WINDOW_MS) : upstreamMs;
}

export type MissingVerdict = 'wait' | 'missing';

/** A 404 is a verdict only after the grace period and enough consecutive strikes. */
export function judgeMissing(input: { strikes: number; sinceAcceptedMs: number }): MissingVerdict {
  return input.strikes >= MISSING_STRIKES && input.sinceAcceptedMs >= MISSING_GRACE_MS ? 'missing' : 'wait';
}

/**
 * Whether a running job is overdue. Judged only after a poll of this very claim, so that our own outage is never held
 * against upstream: `answered` (upstream said it still runs) needs the deadline alone, an unanswered poll also the
 * grace and several failures in a row.
 */
export function judgeOverdue(input: {
  pastDeadlineMs: number;
  answered: boolean;
  failures: number;
}): boolean {
  if (input.pastDeadlineMs <= 0) return false;
  return input.answered || (input.pastDeadlineMs >= UNREACHABLE_GRACE_MS && input.failures >= 5);
}

/** Progress never goes back and reaches 100 only with the artefacts in storage. */
export function nextProgress(current: number | null, reported: number | undefined): number | null {
  if (reported === undefined || !Number.isFinite(reported)) return current;
  return Math.max(current ?? 0, Math.min(99, Math.max(0, Math.floor(reported))));
}
