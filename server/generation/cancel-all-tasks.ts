import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { type CancelAnswer, cancelTask } from './cancel-task.ts';
import { listLiveTaskIds } from './queries.ts';
import type { CancelAllView } from './schemas.ts';

const BATCH = 50;
const BATCHES = 10;

/**
 * Asks to cancel everything of a user that has not ended, oldest first, each as `cancelTask` does. Bounded: at most 500
 * tasks per call, and `hasMore` says whether there are others. What was asked for before is not asked again.
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
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const ids = await listLiveTaskIds(deps.db, { userId: input.userId, after, limit: BATCH });
    for (const taskId of ids) {
      answers[await cancelOne(deps, { userId: input.userId, taskId })] += 1;
      taskIds.push(taskId);
    }
    after = ids.at(-1);
    if (ids.length < BATCH) return { ...answers, hasMore: false, taskIds };
  }
  const more = await listLiveTaskIds(deps.db, { userId: input.userId, after, limit: 1 });
  return { ...answers, hasMore: more.length > 0, taskIds };
}

async function cancelOne(deps: Deps, input: { userId: string; taskId: string }): Promise<CancelAnswer> {
  try {
    return await cancelTask(deps, input);
  } catch (error) {
    // Retention may remove a task between the list and its turn.
    if (error instanceof AppError && error.code === 'not_found') return 'finished';
    throw error;
  }
}
