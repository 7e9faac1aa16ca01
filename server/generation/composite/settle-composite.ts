import { settleBudget } from '#server/billing/holds.ts';
import type { Tx } from '#server/db/client.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import type { TaskEvent } from '../event-queries.ts';
import { knockRefund } from '../fail-task.ts';
import { failureSentence } from '../failure-messages.ts';
import { releaseLease } from '../lease-queries.ts';
import { moveLeased } from '../move-queries.ts';
import { listOutputs, saveFailure } from '../output-queries.ts';
import { LOST, type Step, type StepResult, same } from '../step.ts';
import { listLiveChildren } from './queries.ts';
import type { CompositeAction } from './step.ts';

type End = Extract<CompositeAction, { type: 'end' }>;

const MAX_DETAIL = 500;

/**
 * Ends a composite: status, event and the one settlement of its budget commit together. While a child is under way it is
 * only put off: the child's end makes it due again.
 *
 * @throws Error when a child still holds credits though it has ended: the transaction must not commit then
 */
export async function endComposite(
  step: Pick<Step, 'deps' | 'lease'>,
  from: 'waiting' | 'archiving',
  end: End,
): Promise<StepResult> {
  const { deps, lease } = step;
  try {
    const settled = await deps.db.transaction((tx) => writeEnd(tx, step, from, end));
    if (!settled) return LOST;
    await crashPoint('composite.after-commit');
    if (settled === 'refunding') await knockRefund(deps, lease.taskId);
    return { to: end.to };
  } catch (error) {
    if (!(error instanceof ChildUnderWay)) throw error;
    return (await releaseLease(deps.db, { lease, nextDelayMs: UNDER_WAY_MS })) ? same(UNDER_WAY_MS) : LOST;
  }
}

/** A child's end wakes its composite; this look is for the hint that never came. */
const UNDER_WAY_MS = 60_000;

class ChildUnderWay extends Error {
  constructor() {
    super('A child of this composite is under way');
    this.name = 'ChildUnderWay';
  }
}

async function writeEnd(tx: Tx, { lease }: Pick<Step, 'lease'>, from: 'waiting' | 'archiving', end: End) {
  const stored = await listOutputs(tx, lease.taskId);
  const row = await moveLeased(tx, {
    lease,
    from,
    to: end.to,
    set: {
      waitingFor: null,
      waitingUntil: null,
      // What an agent has made are the outputs of its steps.
      hasOutputs: stored.length > 0 || end.to === 'succeeded',
      ...(end.to === 'succeeded' ? { progress: 100 } : {}),
      ...(end.to === 'failed' ? { failureCode: end.code } : {}),
    },
    event: { ...eventOf(end), actor: 'executor' },
  });
  if (!row) return null;
  await crashPoint('composite.after-settle');
  // The row is locked: no child can be started any more, and none can end without this lock.
  if ((await listLiveChildren(tx, lease.taskId)).length > 0) throw new ChildUnderWay();
  if (end.to === 'failed') {
    await saveFailure(tx, lease.taskId, { failureMessage: messageOf(end), failureDetail: null });
  }
  return settleBudget(tx, {
    taskId: lease.taskId,
    delivered: end.to === 'succeeded',
    reason: end.to === 'cancelled' ? 'Cancelled before anything was delivered.' : 'Nothing was delivered.',
  });
}

const messageOf = ({ code, detail }: Extract<End, { to: 'failed' }>): string =>
  detail?.trim().slice(0, MAX_DETAIL) || failureSentence(code);

function eventOf(end: End): Omit<TaskEvent, 'actor'> {
  return end.to === 'failed'
    ? { type: 'failed', reason: messageOf(end), data: { code: end.code } }
    : { type: end.to, reason: end.reason ?? (end.to === 'succeeded' ? 'Done.' : 'Cancelled.') };
}
