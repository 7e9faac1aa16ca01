import { captureHold, requestRefund } from '#server/billing/holds.ts';
import type { Tx } from '#server/db/client.ts';
import type { Usage } from '#server/providers/provider.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import type { DetailsRow } from './claim-queries.ts';
import { recordCost } from './cost/record-cost.ts';
import { knockRefund } from './fail-task.ts';
import { moveLeased } from './move-queries.ts';
import { listOutputs } from './output-queries.ts';
import type { TaskSnapshot } from './schemas.ts';
import { deliveredUnits, type Settlement, settlement } from './settlement.ts';
import type { LiveStatus } from './status.ts';
import { LOST, type Step, type StepResult } from './step.ts';

/**
 * Ends a task by what was delivered: `succeeded` with stored outputs, or `cancelled` by upstream's verdict (outputs
 * kept and charged). Status, event and the one settlement of the hold commit together.
 */
export async function settleTask(
  step: Step,
  input: {
    from: LiveStatus;
    to: 'succeeded' | 'cancelled';
    reason?: string;
    /** What upstream says with its verdict that the job took. */
    usage?: Usage;
  },
): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  const { snapshot } = claimed.details;
  const settled = await deps.db.transaction(async (tx) => {
    const stored = await listOutputs(tx, lease.taskId);
    const units = countDelivered(claimed.details, stored);
    const end = decideSettlement(snapshot, units, input);
    const row = await moveLeased(tx, {
      lease,
      from: input.from,
      to: input.to,
      set: { hasOutputs: stored.length > 0, ...(input.to === 'succeeded' ? { progress: 100 } : {}) },
      chargedCredits: end.type === 'capture' ? end.capturedCredits : 0,
      event: {
        type: input.to,
        actor: 'executor',
        reason: input.reason,
        data: {
          outputs: stored.length,
          ordered: snapshot.orderedOutputs,
          unit: snapshot.price.unit,
          units,
          orderedUnits: snapshot.orderedUnits,
          ...end,
        },
      },
    });
    if (!row) return null;
    const artefacts = input.to === 'succeeded' ? (claimed.details.artefacts?.length ?? 0) : 0;
    if (input.from !== 'queued') await recordCost(tx, claimed.dispatch, { artefacts, usage: input.usage });
    await crashPoint('settle.after-status');
    await writeSettlement(tx, lease.taskId, end);
    await crashPoint('settle.before-commit');
    return end;
  });
  if (!settled) return LOST;
  await crashPoint('settle.after-commit');
  if (settled.type === 'refund') await knockRefund(deps, lease.taskId);
  return { to: input.to };
}

function countDelivered(
  { snapshot, reportedUnits }: DetailsRow,
  stored: readonly { durationMs: number | null }[],
): number {
  return deliveredUnits({
    price: snapshot.price,
    orderedUnits: snapshot.orderedUnits,
    orderedOutputs: snapshot.orderedOutputs,
    orderedSeconds: snapshot.orderedSeconds,
    stored: stored.map(({ durationMs }) => (durationMs === null ? null : durationMs / 1000)),
    reported: reportedUnits,
  });
}

function decideSettlement(
  snapshot: TaskSnapshot,
  units: number,
  input: { from: LiveStatus; to: 'succeeded' | 'cancelled' },
): Settlement {
  const end = settlement({
    holdCredits: snapshot.holdCredits,
    orderedUnits: snapshot.orderedUnits,
    deliveredUnits: units,
    // What was never sent is free, whatever the model says.
    billedOnCancel: input.to === 'cancelled' && input.from !== 'queued' && snapshot.chargedWhenCancelled,
  });
  // A stored output that counts as nothing (half a second of video) costs nothing, but it is no refund of a failure.
  return input.to === 'succeeded' && end.type === 'refund'
    ? { type: 'capture', capturedCredits: 0, returnedCredits: snapshot.holdCredits }
    : end;
}

async function writeSettlement(tx: Tx, taskId: string, end: Settlement): Promise<void> {
  if (end.type === 'capture') await captureHold(tx, { taskId, capturedCredits: end.capturedCredits });
  else await requestRefund(tx, { taskId, reason: 'Cancelled before anything was delivered.' });
}
