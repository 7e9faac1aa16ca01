import type { Executor } from '#server/generation/executor.ts';
import { runGenerationTaskRecoveryBatch } from '#server/generation/run-recovery-batch.ts';
import type { DueWatcher } from './due-watcher.ts';
import { CALL_BUDGET_MS, type RunTasksOutput } from './schemas.ts';

/** Kept back for the statements around the batch and for the way of the answer. */
const ANSWER_MARGIN_MS = 1_000;
/** So much is left for the rows that a wait of full length was for. */
const LEAST_BATCH_MS = 2_000;

export type GenerationKnock = { limit: number; waitMs: number; workerId: string };

export type KnockContext = {
  executor: Executor;
  dueWatcher: DueWatcher;
  /** Aborted when the caller goes away: ends the waiting, never a step. */
  signal: AbortSignal | undefined;
};

/**
 * One turn over due generations. When there is nothing to claim it waits, without a database connection, until a row
 * may be due and looks once more. News between the look and the wait is not missed: the watcher's sequence is read
 * before looking.
 */
export async function runGenerationKnock(
  { executor, dueWatcher, signal }: KnockContext,
  knock: GenerationKnock,
): Promise<RunTasksOutput> {
  const startedAt = performance.now();
  const left = () => Math.floor(CALL_BUDGET_MS - ANSWER_MARGIN_MS - (performance.now() - startedAt));
  const look = () =>
    runGenerationTaskRecoveryBatch(executor, {
      limit: knock.limit,
      workerId: knock.workerId,
      budgetMs: Math.max(left(), LEAST_BATCH_MS),
    });

  const since = dueWatcher.sequence();
  const first = await look();
  const waitMs = Math.min(knock.waitMs, left() - LEAST_BATCH_MS);
  if (first.claimed > 0 || waitMs <= 0) return { ...first, waitedMs: 0 };

  const waitStartedAt = performance.now();
  const end = await dueWatcher.wait({ waitMs, nextDueAt: first.nextDueAt, since, signal });
  // Zero tells the daemon to pause by itself: this process takes no more waiters.
  const waitedMs = end === 'full' || end === 'closed' ? 0 : Math.ceil(performance.now() - waitStartedAt);
  return { ...(end === 'woken' ? await look() : first), waitedMs };
}
