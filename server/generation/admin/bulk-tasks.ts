import { recordAudit } from '#server/audit/record-audit.ts';
import { retryRefundOfTask } from '#server/billing/manage-refunds.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { runBulk } from '#server/lib/run-bulk.ts';
import type { BulkReport } from '#server/lib/schemas.ts';
import { type CancelAnswer, cancelAnyTask } from '../cancel-task.ts';
import { appendEvent } from '../event-queries.ts';
import { wakeTask } from '../lease-queries.ts';
import { readAnyTask } from '../queries.ts';
import { resolveTask } from '../resolve-task.ts';
import type { BulkTasksInput, TaskDeed } from './schemas.ts';

type OneTask = { taskId: string; reason: string; operatorId: string };

/**
 * Does one thing to each of these tasks, one after the other. What one is refused stops no other, and what was done to
 * it is audited with the reason in the transaction that does it.
 */
export async function runTaskDeeds(
  deps: Deps,
  { deed, taskIds, ...by }: BulkTasksInput & { operatorId: string },
): Promise<BulkReport> {
  return runBulk(deps, taskIds, (taskId) => DEEDS[deed](deps, { ...by, taskId }));
}

const DEEDS: Record<TaskDeed, (deps: Deps, input: OneTask) => Promise<string | null>> = {
  cancel: cancelOne,
  wake: wakeOne,
  fail: async (deps, input) => {
    await resolveTask(deps, { ...input, verdict: 'failed' });
    return null;
  },
  retry_refund: async (deps, input) => {
    await retryRefundOfTask(deps, input);
    return null;
  },
};

const CANCEL_WORDS: Record<CancelAnswer, string> = {
  cancelled: 'Cancelled before it was sent.',
  requested: 'The provider is asked; its answer decides.',
  unsupported: 'The provider cannot cancel this; it goes on to its end.',
  finished: 'This task has ended, or its result is there already.',
};

async function cancelOne(deps: Deps, input: OneTask): Promise<string> {
  const answer = await cancelAnyTask(deps, input);
  if (answer === 'unsupported' || answer === 'finished') throw new AppError('conflict', CANCEL_WORDS[answer]);
  return CANCEL_WORDS[answer];
}

/** A hint: it is due now, or when whoever holds it lets go. No lease is broken, and no cap is passed over. */
async function wakeOne(deps: Deps, { taskId, reason, operatorId }: OneTask): Promise<null> {
  const woken = await deps.db.transaction(async (tx) => {
    if (!(await wakeTask(tx, taskId))) return false;
    await appendEvent(tx, taskId, {
      type: 'woken',
      actor: `operator:${operatorId}`,
      reason: `An administrator made it due: ${reason}`,
    });
    await recordAudit(tx, { actorId: operatorId, action: 'task.wake', subjectId: taskId, reason });
    return true;
  });
  if (!woken) {
    const known = await readAnyTask(deps.db, taskId);
    throw known
      ? new AppError('conflict', 'This task has ended: there is nothing to do.')
      : new AppError('not_found', 'There is no such task.');
  }
  deps.due.wake();
  return null;
}
