import type { Deps } from '#server/deps.ts';
import { cancelTask } from '#server/generation/cancel-task.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { tasksToEnd } from './closing-queries.ts';

/**
 * Asks the tasks of closed accounts to end, each in its own transaction and by the same rules as their owner's cancel:
 * queued ones end at once and free, running ones when upstream says so, and those that cannot be cancelled run on.
 */
export async function endClosedTasks(
  deps: Deps,
  input: { userIds: readonly string[]; limit: number },
): Promise<{ done: number; faults: number }> {
  let done = 0;
  let faults = 0;
  for (const { id, userId } of await tasksToEnd(deps.db, input)) {
    try {
      const answer = await cancelTask(deps, { userId, taskId: id });
      if (answer === 'cancelled' || answer === 'requested') done += 1;
      await crashPoint('close.after-cancel');
    } catch (error) {
      faults += 1;
      deps.logger.warn(
        { taskId: id, error: describeError(error) },
        'A task of a closed account goes on for now',
      );
    }
  }
  return { done, faults };
}
