import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { keepLeases } from '#server/lib/keep-lease.ts';
import { retryDelayMs } from '#server/lib/retry-delay.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { returnToGuard } from './cost-guard.ts';
import { holdKey } from './holds.ts';
import { postEntry } from './ledger.ts';
import {
  claimDueRefunds,
  closeHoldAsRefunded,
  leasedRefunds,
  nextRefundDueAt,
  postponeRefund,
  type RefundRow,
  settleRefund,
} from './queries.ts';

export type RefundBatchResult = {
  claimed: number;
  settled: number;
  retried: number;
  manual: number;
  nextDueAt: Date | null;
};

type RefundDeps = Pick<Deps, 'db' | 'renewalDb' | 'config' | 'logger' | 'random' | 'newId'>;

/**
 * Posts due refunds to the ledger, each exactly once: the ledger key `refund:task:<id>`, the hold's end, the cost guard's
 * count and the refund's status commit together. A row that fails is put off and never stops the others.
 */
export async function runRefundBatch(
  deps: RefundDeps,
  input: { limit: number; workerId: string | null; taskIds?: readonly string[] },
): Promise<RefundBatchResult> {
  const claimed = await claimDueRefunds(deps.db, {
    limit: input.limit,
    leaseSeconds: deps.config.leaseSeconds,
    executorId: deps.newId(),
    taskIds: input.taskIds,
  });
  await crashPoint('refund.after-claim');
  const result: RefundBatchResult = {
    claimed: claimed.length,
    settled: 0,
    retried: 0,
    manual: 0,
    nextDueAt: null,
  };
  await keepLeases(deps, { table: leasedRefunds, rows: claimed }, async () => {
    for (const refund of claimed) result[await payRefund(deps, refund)] += 1;
  });
  result.nextDueAt = await nextRefundDueAt(deps.db);
  return result;
}

async function payRefund(deps: RefundDeps, refund: RefundRow): Promise<'settled' | 'retried' | 'manual'> {
  try {
    await deps.db.transaction(async (tx) => {
      if (!(await settleRefund(tx, refund))) throw new RefundLostError();
      await crashPoint('refund.after-settle');
      if (!(await closeHoldAsRefunded(tx, refund.taskId))) {
        throw new Error(`The hold of task ${refund.taskId} is not waiting for a refund`);
      }
      await crashPoint('refund.after-close');
      await postEntry(tx, {
        userId: refund.userId,
        kind: 'refund',
        deltaCredits: refund.amountCredits,
        key: `refund:task:${refund.taskId}`,
        taskId: refund.taskId,
        backToHold: holdKey(refund.taskId),
        actor: 'refund-lane',
        reason: refund.reason,
      });
      await crashPoint('refund.after-entry');
      await returnToGuard(tx, { taskId: refund.taskId, credits: refund.amountCredits });
      await crashPoint('refund.before-commit');
    });
    await crashPoint('refund.after-commit');
    return 'settled';
  } catch (error) {
    if (error instanceof RefundLostError) return 'retried';
    return postpone(deps, refund, error);
  }
}

/** Another holder has the row: nothing to do, and nothing was written. */
class RefundLostError extends Error {}

async function postpone(deps: RefundDeps, refund: RefundRow, error: unknown): Promise<'retried' | 'manual'> {
  const failures = refund.attempts + 1;
  const manual = failures >= deps.config.refundTries;
  const message = describeError(error).message.slice(0, 500);
  deps.logger[manual ? 'error' : 'warn'](
    { refundId: refund.id, taskId: refund.taskId, attempts: failures, error: message },
    manual ? 'Refund needs a person: its tries are used up' : 'Refund put off',
  );
  try {
    await postponeRefund(deps.db, {
      id: refund.id,
      leaseToken: refund.leaseToken,
      delayMs: retryDelayMs({ failures, pace: deps.config, random: deps.random }),
      manual,
      error: message,
    });
  } catch (postponeError) {
    // The lease runs out by itself and the row is claimed again.
    deps.logger.warn(
      { refundId: refund.id, error: describeError(postponeError) },
      'Refund could not be put off',
    );
  }
  return manual ? 'manual' : 'retried';
}
