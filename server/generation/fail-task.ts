import { requestRefund } from '#server/billing/holds.ts';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { redactText } from '#server/lib/redact.ts';
import type { Usage } from '#server/providers/provider.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { recordCost } from './cost/record-cost.ts';
import { startLateWatch } from './dispatch-queries.ts';
import type { TaskEvent } from './event-queries.ts';
import { failureSentence, readableReason } from './failure-messages.ts';
import { moveLeased } from './move-queries.ts';
import { saveFailure } from './output-queries.ts';
import type { FailureCode, LiveStatus } from './status.ts';
import { LOST, type Step, type StepResult } from './step.ts';

export type Failure = {
  code: FailureCode;
  /** Upstream's own reason, raw; shown to users only after `readableReason`. */
  upstreamReason?: string;
  /** For administrators; redacted here. */
  detail?: string;
  /** Upstream told the end of its job, and perhaps what it took; absent: nobody knows what it did. */
  ended?: { usage?: Usage };
  /** Goes on watching the dispatch for a late success. */
  watchLate?: boolean;
  actor?: string;
};

/**
 * Fails a leased task: status, event and refund intent commit together, so a failed task never keeps an open hold.
 * The refund itself is posted by the refund lane; it is knocked here, and failing to do so costs nothing but time.
 */
export async function failTask(step: Step, from: LiveStatus, failure: Failure): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  const failed = await deps.db.transaction(async (tx) => {
    const row = await moveLeased(tx, {
      lease,
      from,
      to: 'failed',
      set: { failureCode: failure.code },
      event: failureEvent(failure),
    });
    if (!row) return false;
    if (failure.ended) {
      const artefacts = from === 'archiving' ? (claimed.details.artefacts?.length ?? 0) : 0;
      await recordCost(tx, claimed.dispatch, { artefacts, ...failure.ended });
    }
    await crashPoint('fail.after-status');
    await writeFailure(tx, deps, lease.taskId, failure);
    await crashPoint('fail.before-commit');
    return true;
  });
  if (!failed) return LOST;
  await crashPoint('fail.after-commit');
  await knockRefund(deps, lease.taskId);
  return { to: 'failed' };
}

export function failureEvent(failure: Failure): TaskEvent {
  const reason = readableReason(failure.upstreamReason);
  return {
    type: 'failed',
    actor: failure.actor ?? 'executor',
    reason: failureSentence(failure.code, reason),
    data: { code: failure.code },
  };
}

/** The money and text side of a failure, in the transaction that moved the task. */
export async function writeFailure(
  tx: Tx,
  deps: Pick<Deps, 'config'>,
  taskId: string,
  failure: Failure,
): Promise<void> {
  const detail = failure.detail ?? failure.upstreamReason;
  await saveFailure(tx, taskId, {
    failureMessage: failureSentence(failure.code, readableReason(failure.upstreamReason)),
    failureDetail: detail ? redactText(detail).slice(0, 4_000) : null,
  });
  await requestRefund(tx, { taskId, reason: failureSentence(failure.code) });
  if (failure.watchLate) {
    await startLateWatch(tx, { taskId, firstDelayMs: 60_000, windowMs: deps.config.lateWatchMs });
  }
}

/** Runs the refund lane's own batch for one task at once. Never throws: the row is due anyway. */
export async function knockRefund(deps: Deps, taskId: string): Promise<void> {
  try {
    await runRefundBatch(deps, { limit: 1, workerId: null, taskIds: [taskId] });
  } catch (error) {
    deps.logger.warn({ taskId, error: String(error) }, 'Refund left to the refund lane');
  }
}
