import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { pageOf } from '#server/lib/list-page.ts';
import { runBulk } from '#server/lib/run-bulk.ts';
import type { BulkReport } from '#server/lib/schemas.ts';
import {
  closeHoldAsVoided,
  closeRefundAsVoided,
  findRefundId,
  getRefundStatus,
  listRefunds,
  reopenRefund,
} from './admin-queries.ts';
import { runRefundBatch } from './run-refund-batch.ts';
import type { BulkRefundsInput, RefundsInput, TaskRefundPage } from './schemas.ts';

/** Refunds of tasks, with filters, in the order asked for. */
export async function readRefunds(deps: Pick<Deps, 'db'>, input: RefundsInput): Promise<TaskRefundPage> {
  const found = await listRefunds(deps.db, { ...input, limit: input.limit + 1 });
  const { rows, nextCursor } = pageOf(found, input.limit);
  const items = rows.map(({ refund, userEmail }) => ({
    id: refund.id,
    taskId: refund.taskId,
    userId: refund.userId,
    userEmail,
    amountCredits: refund.amountCredits,
    status: refund.status,
    reason: refund.reason,
    attempts: refund.attempts,
    nextAttemptAt: refund.nextAttemptAt,
    lastError: refund.lastError,
    createdAt: refund.createdAt,
    settledAt: refund.settledAt,
    resolution: refund.resolution,
  }));
  return { items, nextCursor };
}

/**
 * Gives a refund that waits for people back to the lane, due now, and tries it once at once.
 *
 * @throws AppError `not_found`, `conflict` when it does not wait for people (any more)
 */
export async function retryRefund(
  deps: Pick<Deps, 'db' | 'renewalDb' | 'config' | 'logger' | 'random' | 'newId'>,
  input: { refundId: string; operatorId: string; reason?: string },
): Promise<void> {
  const taskId = await deps.db.transaction(async (tx) => {
    const refund = await reopenRefund(tx, input.refundId);
    if (!refund) throw await explainRefusal(deps, input.refundId);
    await recordAudit(tx, {
      actorId: input.operatorId,
      action: 'refund.retry',
      subjectId: input.refundId,
      reason: input.reason,
      data: { taskId: refund.taskId, lastError: refund.lastError },
    });
    return refund.taskId;
  });
  try {
    await runRefundBatch(deps, { limit: 1, workerId: null, taskIds: [taskId] });
  } catch (error) {
    deps.logger.warn({ taskId, error: String(error) }, 'Refund left to the refund lane');
  }
}

/**
 * As {@link retryRefund}, by the task that is refunded.
 *
 * @throws AppError `not_found` when nothing of this task is refunded, `conflict`
 */
export async function retryRefundOfTask(
  deps: Parameters<typeof retryRefund>[0],
  input: { taskId: string; operatorId: string; reason: string },
): Promise<void> {
  const refundId = await findRefundId(deps.db, input.taskId);
  if (refundId === undefined) throw new AppError('not_found', 'No refund belongs to this task.');
  await retryRefund(deps, { refundId, operatorId: input.operatorId, reason: input.reason });
}

/** Tries each of these refunds again, or ends each without paying it; what one is refused stops no other. */
export async function runRefundDeeds(
  deps: Parameters<typeof retryRefund>[0],
  { deed, refundIds, ...by }: BulkRefundsInput & { operatorId: string },
): Promise<BulkReport> {
  return runBulk(deps, refundIds, (refundId) =>
    deed === 'retry' ? retryRefund(deps, { ...by, refundId }) : voidRefund(deps, { ...by, refundId }),
  );
}

/**
 * Ends a refund that waits for people without paying it: the hold ends captured in full.
 *
 * @throws AppError `not_found`, `conflict` when it does not wait for people (any more) or its hold has ended
 */
export async function voidRefund(
  deps: Pick<Deps, 'db'>,
  input: { refundId: string; reason: string; operatorId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const refund = await closeRefundAsVoided(tx, input);
    if (!refund) throw await explainRefusal(deps, input.refundId);
    if (!(await closeHoldAsVoided(tx, refund.taskId))) {
      throw new AppError(
        'conflict',
        'The credits of this task do not wait for a refund, so the books do not agree. Run: npm run audit',
      );
    }
    await recordAudit(tx, {
      actorId: input.operatorId,
      action: 'refund.void',
      subjectId: input.refundId,
      reason: input.reason,
      data: { taskId: refund.taskId, credits: refund.amountCredits },
    });
  });
}

async function explainRefusal(deps: Pick<Deps, 'db'>, refundId: string): Promise<AppError> {
  const status = await getRefundStatus(deps.db, refundId);
  return status
    ? new AppError('conflict', `This refund is ${status} and waits for nobody. Reload the page.`)
    : new AppError('not_found', 'There is no such refund.');
}
