import { drawHold, placeHold } from '#server/billing/holds.ts';
import type { Tx } from '#server/db/client.ts';
import { AppError } from '#server/lib/app-error.ts';
import { getUploads, markUploadsUsed } from '#server/storage/queries.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import type { Conversation } from '../conversation/schemas.ts';
import { insertFirstEvent } from '../event-queries.ts';
import { insertTask } from '../queries.ts';
import type { Kind } from '../status.ts';
import { checkOrder, toSnapshot } from '../submit-task.ts';
import { insertStep, isHalted, lockLeased, updateStep } from './queries.ts';
import type { CompositeStep } from './step.ts';

export type ChildOrder = {
  kind: Kind;
  model: string;
  prompt: string;
  params: Record<string, unknown>;
  /** Upload ids of the composite's user. */
  references: string[];
  conversation?: Conversation;
};

export type ChildStart =
  | { type: 'started'; childTaskId: string }
  /** The step has a child, or is not `planned` any more. */
  | { type: 'not_planned' }
  | { type: 'over_budget'; neededCredits: number }
  /** What is wrong with the order, in words for the user (and for the language model). Nothing was charged. */
  | { type: 'refused'; message: string }
  /** The lease is lost: write nothing more. */
  | { type: 'lost' };

/**
 * Starts the child of a `planned` step: task, draw and the step's own `running` commit together, under the composite's
 * lease, so that no crash and no second holder can start it twice. Nothing is sent here: the child is an ordinary task.
 *
 * @param input.paidBy `parent` draws from what the composite holds; `balance` holds from the user's balance, for what
 * comes before there is a budget
 * @throws CompositeHalted when the user has paused, stopped or cancelled it since the step began; the engine looks again
 */
export async function startChild(
  step: CompositeStep,
  input: {
    stepKey: string;
    order: ChildOrder;
    paidBy: 'parent' | 'balance';
    /** What the user has agreed to; a price that was raised since is refused. */
    mostCredits?: number;
  },
): Promise<ChildStart> {
  const { deps, lease, claimed } = step;
  const { userId } = claimed.task;
  const { order, stepKey } = input;
  let checked: Awaited<ReturnType<typeof checkOrder>>;
  try {
    checked = await checkOrder(deps, order);
  } catch (error) {
    if (error instanceof AppError) return { type: 'refused', message: error.message };
    throw error;
  }
  const uploads = await getUploads(deps.db, userId, order.references);
  if (uploads.length !== order.references.length) {
    return { type: 'refused', message: 'A reference file is not there any more.' };
  }
  const childTaskId = deps.newId();
  const { credits } = checked.ordered;
  if (input.mostCredits !== undefined && credits > input.mostCredits) {
    const message = `The price has changed: this costs ${credits} credits now, not the ${input.mostCredits} that were agreed to.`;
    return { type: 'refused', message };
  }
  try {
    const result = await deps.db.transaction(async (tx): Promise<ChildStart> => {
      if (!(await lockLeased(tx, lease))) return { type: 'lost' };
      if (await isHalted(tx, lease.taskId)) throw new CompositeHalted();
      await insertTask(tx, {
        id: childTaskId,
        userId,
        kind: order.kind,
        parentId: lease.taskId,
        channelId: checked.candidates[0].channel.id,
        modelId: checked.model.id,
        giveUpMs: deps.config.giveUpMs,
        prompt: order.prompt,
        params: checked.params,
        referenceIds: order.references,
        snapshot: toSnapshot(checked),
        retryOf: null,
        conversation: order.conversation,
      });
      await crashPoint('child.after-task');
      const planned = await updateStep(tx, {
        taskId: lease.taskId,
        key: stepKey,
        from: ['planned'],
        to: 'running',
        childTaskId,
      });
      if (!planned) throw new NotStarted({ type: 'not_planned' });
      await crashPoint('child.after-step');
      if (!(await markUploadsUsed(tx, order.references))) {
        throw new NotStarted({ type: 'refused', message: 'A reference file is not there any more.' });
      }
      if (input.paidBy === 'balance') {
        const reason = `Held for ${checked.model.title}`;
        await placeHold(tx, { taskId: childTaskId, userId, credits, reason });
      } else if (
        !(await drawHold(tx, { taskId: childTaskId, parentTaskId: lease.taskId, userId, credits }))
      ) {
        throw new NotStarted({ type: 'over_budget', neededCredits: credits });
      }
      await insertFirstEvent(tx, childTaskId, {
        type: 'submitted',
        actor: 'executor',
        to: 'queued',
        data: { credits, parentId: lease.taskId, step: stepKey },
      });
      await crashPoint('child.before-commit');
      return { type: 'started', childTaskId };
    });
    await crashPoint('child.after-commit');
    if (result.type === 'started') deps.due.wake();
    return result;
  } catch (error) {
    if (error instanceof NotStarted) return error.result;
    // The balance or the cost guard refuses it.
    if (error instanceof AppError) return { type: 'refused', message: error.message };
    throw error;
  }
}

/** Rolls the transaction back with an answer. */
class NotStarted extends Error {
  constructor(readonly result: ChildStart) {
    super(result.type);
    this.name = 'NotStarted';
  }
}

/**
 * Writes under the composite's lease: `write` runs in a transaction that holds the row.
 *
 * @throws CompositeLost when the lease is lost; the engine ends the step without another write
 */
export async function underLease<T>(
  step: Pick<CompositeStep, 'deps' | 'lease'>,
  write: (tx: Tx) => Promise<T>,
): Promise<T> {
  return step.deps.db.transaction(async (tx) => {
    if (!(await lockLeased(tx, step.lease))) throw new CompositeLost();
    const result = await write(tx);
    await crashPoint('composite.after-record');
    return result;
  });
}

/** The lease of a composite went to somebody else in the middle of its step. */
export class CompositeLost extends Error {
  constructor() {
    super('The lease of this composite is lost');
    this.name = 'CompositeLost';
  }
}

/** The user has paused, stopped or cancelled a composite in the middle of its step. */
export class CompositeHalted extends Error {
  constructor() {
    super('The user has asked this composite to halt');
    this.name = 'CompositeHalted';
  }
}

/** Records steps that are not there yet, under the lease. */
export async function recordSteps(
  step: Pick<CompositeStep, 'deps' | 'lease'>,
  rows: readonly Omit<Parameters<typeof insertStep>[1], 'taskId'>[],
): Promise<void> {
  await underLease(step, async (tx) => {
    for (const row of rows) await insertStep(tx, { ...row, taskId: step.lease.taskId });
  });
}
