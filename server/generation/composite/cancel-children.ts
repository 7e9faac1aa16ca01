import { AppError } from '#server/lib/app-error.ts';
import { cancelTask } from '../cancel-task.ts';
import type { Step } from '../step.ts';
import { listLiveChildren } from './queries.ts';

/**
 * Asks every child that has not ended to cancel: what was not sent ends at once, free; for the rest upstream is asked and
 * its verdict decides. Asking again changes nothing. Outside any transaction of the composite, so that no lock of it is
 * held while a child's row is written.
 */
export async function cancelChildren({
  deps,
  lease,
  claimed,
}: Pick<Step, 'deps' | 'lease' | 'claimed'>): Promise<void> {
  for (const child of await listLiveChildren(deps.db, lease.taskId)) {
    if (child.cancelRequestedAt) continue;
    try {
      await cancelTask(deps, { userId: claimed.task.userId, taskId: child.id });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}
