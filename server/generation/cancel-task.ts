import { type AuditEntry, recordAudit } from '#server/audit/record-audit.ts';
import { requestRefund } from '#server/billing/holds.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { appendEvent } from './event-queries.ts';
import { knockRefund } from './fail-task.ts';
import { wakeTask } from './lease-queries.ts';
import { moveUnleased } from './move-queries.ts';
import { lockTask, readAnyTask, requestCancel, type TaskBundle } from './queries.ts';
import { isComposite, isTerminal } from './status.ts';

/** `cancelled`: it ended here and is refunded. `requested`: upstream's verdict decides. */
export type CancelAnswer = 'cancelled' | 'requested' | 'unsupported' | 'finished';

/**
 * A user's wish to cancel. What was not sent ends at once, free; for the rest it is a request that only upstream's
 * verdict fulfils, and where upstream cannot cancel, the answer says so and nothing changes. A composite is never refused:
 * it asks its children, starts no more of them, and ends when all have ended.
 *
 * @throws AppError `not_found` for a task that is not this user's
 */
export async function cancelTask(
  deps: Deps,
  input: { userId: string; taskId: string },
): Promise<CancelAnswer> {
  const bundle = await readAnyTask(deps.db, input.taskId);
  if (bundle?.task.userId !== input.userId) throw new AppError('not_found', 'There is no such task.');
  return cancel(deps, bundle, { actor: `user:${input.userId}` });
}

/**
 * An operator's wish to cancel anybody's task, by the same rules. What it changed is audited, with the reason.
 *
 * @throws AppError `not_found`
 */
export async function cancelAnyTask(
  deps: Deps,
  input: { taskId: string; operatorId: string; reason: string },
): Promise<CancelAnswer> {
  const { taskId, operatorId, reason } = input;
  const bundle = await readAnyTask(deps.db, taskId);
  if (!bundle) throw new AppError('not_found', 'There is no such task.');
  const audit: AuditEntry = { actorId: operatorId, action: 'task.cancel', subjectId: taskId, reason };
  return cancel(deps, bundle, { actor: `operator:${operatorId}`, audit });
}

async function cancel(
  deps: Deps,
  { task: { id: taskId, userId }, details: { snapshot } }: TaskBundle,
  { actor, audit }: { actor: string; audit?: AuditEntry },
): Promise<CancelAnswer> {
  const upstreamCan = deps.providers.canCancel(snapshot.protocol, snapshot.endpoint);

  const answer = await deps.db.transaction(async (tx): Promise<CancelAnswer> => {
    const locked = await lockTask(tx, userId, taskId);
    if (!locked || isTerminal(locked.task.status)) return 'finished';
    const composite = isComposite(locked.task.kind);
    if (locked.task.status === 'archiving' && !composite) return 'finished';
    if (locked.task.status === 'queued' && !locked.leased) {
      if (await cancelQueued(tx, { taskId, actor })) {
        if (audit) await recordAudit(tx, audit);
        return 'cancelled';
      }
    }
    const sent = locked.task.status === 'running' || locked.task.status === 'uncertain';
    if (sent && !upstreamCan) return 'unsupported';
    if (!locked.task.cancelRequestedAt) {
      await requestCancel(tx, taskId);
      await appendEvent(tx, taskId, { type: 'cancel_requested', actor });
      if (audit) await recordAudit(tx, audit);
    }
    await wakeTask(tx, taskId);
    return 'requested';
  });
  deps.due.wake();
  await crashPoint('cancel.after-commit');
  if (answer === 'cancelled') await knockRefund(deps, taskId);
  return answer;
}

/** Ends a queued task that nobody holds, free. False when it is held or not queued (any more). */
export async function cancelQueued(tx: Tx, input: { taskId: string; actor: string }): Promise<boolean> {
  const { taskId, actor } = input;
  const reason = 'Cancelled before it was sent.';
  const event = { type: 'cancelled', actor, reason };
  const moved = await moveUnleased(tx, { taskId, from: ['queued'], to: 'cancelled', event });
  if (!moved) return false;
  await crashPoint('cancel.after-status');
  await requestRefund(tx, { taskId, reason });
  return true;
}
