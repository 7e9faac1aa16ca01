import type { StepResult } from './step.ts';

/** What one knock, kick or page push asks of the executor. */
export type RecoveryBatchInput = {
  /** Most rows of this caller in flight at once. */
  limit: number;
  /** How long to go on claiming, in milliseconds; started steps go on after it. */
  budgetMs: number;
  /** The daemon that knocked; null for a page or a kick. */
  workerId: string | null;
  /** Only these tasks. */
  taskIds?: readonly string[];
  /** Only this user's tasks. */
  userId?: string;
  /** One claim and no refill: a kick or push takes a task one step on, the next one is the daemon's or the page's. */
  once?: boolean;
};

export type RecoveryBatchResult = {
  claimed: number;
  /** Steps of this call that ended before it answered, and how. */
  advanced: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  uncertain: number;
  lost: number;
  /** Steps of this process still under way. */
  inFlight: number;
  nextDueAt: Date | null;
  backlog: number;
};

/** Of a call that has done nothing yet. */
export function emptyResult(): RecoveryBatchResult {
  return {
    claimed: 0,
    advanced: 0,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    uncertain: 0,
    lost: 0,
    inFlight: 0,
    nextDueAt: null,
    backlog: 0,
  };
}

/** Counts a step that has ended. */
export function countStep(result: RecoveryBatchResult, end: StepResult): void {
  if (end.to === 'lost') {
    result.lost += 1;
    return;
  }
  result.advanced += 1;
  if (end.to === 'succeeded' || end.to === 'failed' || end.to === 'cancelled' || end.to === 'uncertain') {
    result[end.to] += 1;
  }
}
