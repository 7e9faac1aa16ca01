import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { isDatabaseUnreachable } from '#server/lib/database-fault.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { type CancelAnswer, cancelTask } from './cancel-task.ts';
import { listLiveTaskIds } from './queries.ts';
import type { CancelAllView } from './schemas.ts';

const BATCH = 50;
const BATCHES = 10;

/**
 * Asks to cancel everything of a user that has not ended, oldest first, each as `cancelTask` does. Bounded: at most 500
 * tasks per call, and `hasMore` says whether there are others. What was asked for before is not asked again, and one that
 * fails on our side stops no other: it is among those that are left.
 *
 * @returns the answers counted, and the ids that changed
 */
export async function cancelAllTasks(
  deps: Deps,
  input: { userId: string },
): Promise<CancelAllView & { taskIds: string[] }> {
  const answers: Record<CancelAnswer, number> = { cancelled: 0, requested: 0, unsupported: 0, finished: 0 };
  const taskIds: string[] = [];
  let after: string | undefined;
  let failed = false;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const ids = await listLiveTaskIds(deps.db, { userId: input.userId, after, limit: BATCH });
    for (const taskId of ids) {
      const answer = await cancelOne(deps, { userId: input.userId, taskId });
      if (answer === null) {
        failed = true;
        continue;
      }
      answers[answer] += 1;
      taskIds.push(taskId);
    }
    after = ids.at(-1);
    if (ids.length < BATCH) return { ...answers, hasMore: failed, taskIds };
  }
  const more = await listLiveTaskIds(deps.db, { userId: input.userId, after, limit: 1 });
  return { ...answers, hasMore: failed || more.length > 0, taskIds };
}

/** Null: it failed on our side, and can be asked again. */
async function cancelOne(
  deps: Deps,
  input: { userId: string; taskId: string },
): Promise<CancelAnswer | null> {
  try {
    return await cancelTask(deps, input);
  } catch (error) {
    // Retention may remove a task between the list and its turn.
    if (error instanceof AppError && error.code === 'not_found') return 'finished';
    if (isDatabaseUnreachable(error)) throw error;
    deps.logger.error({ taskId: input.taskId, error: describeError(error) }, 'A task could not be cancelled');
    return null;
  }
}
