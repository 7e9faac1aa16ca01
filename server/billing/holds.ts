import type { Tx } from '#server/db/client.ts';
import { AppError } from '#server/lib/app-error.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { listOpenDebts } from './bucket-queries.ts';
import { closeHoldAsReturned, drawFromHold, returnToHold } from './budget-queries.ts';
import { chargeGuard, returnToGuard } from './cost-guard.ts';
import { postEntry } from './ledger.ts';
import {
  closeHoldAsCaptured,
  type HoldRow,
  insertHold,
  insertRefund,
  markHoldRefunding,
  readHold,
} from './queries.ts';

/** The ledger key of a task's hold, by which what comes back finds its buckets. */
export const holdKey = (taskId: string): string => `hold:task:${taskId}`;

/**
 * Takes the price of a task out of the balance and counts it for the cost guard.
 *
 * @throws AppError `insufficient_credits` when it costs too much, or while the user owes credits; `forbidden` when it
 * passes a limit of the cost guard
 */
export async function placeHold(
  tx: Tx,
  input: {
    taskId: string;
    userId: string;
    credits: number;
    reason: string;
    /** Of a composite: children draw from it. */
    isBudget?: boolean;
  },
): Promise<void> {
  await postEntry(tx, {
    userId: input.userId,
    kind: 'hold',
    deltaCredits: -input.credits,
    key: holdKey(input.taskId),
    taskId: input.taskId,
    actor: `user:${input.userId}`,
    reason: input.reason,
  });
  await crashPoint('hold.after-entry');
  await refuseDebtors(tx, input.userId);
  const spentOn = await chargeGuard(tx, input);
  await crashPoint('hold.after-guard');
  await insertHold(tx, {
    taskId: input.taskId,
    userId: input.userId,
    amountCredits: input.credits,
    spentOn,
    ...(input.isBudget ? { budgetFreeCredits: input.credits, budgetSpentCredits: 0 } : {}),
  });
}

/**
 * Takes the price of a child out of what its composite holds: no ledger entry, no part of the cost guard, because the
 * composite's own hold was both. In the transaction that inserts the child.
 *
 * @returns false when less than that is free, or the composite's hold is settled: nothing was written then
 */
export async function drawHold(
  tx: Tx,
  input: { taskId: string; parentTaskId: string; userId: string; credits: number },
): Promise<boolean> {
  if (!(await drawFromHold(tx, input))) return false;
  await crashPoint('draw.after-budget');
  await insertHold(tx, {
    taskId: input.taskId,
    userId: input.userId,
    amountCredits: input.credits,
    source: 'parent',
    parentTaskId: input.parentTaskId,
  });
  return true;
}

/**
 * Settles a composite's hold, once every draw on it is closed: what its children were charged is captured, the rest
 * goes back to the balance; with nothing charged the whole is refunded by the refund lane, unless `delivered`.
 *
 * @returns `none` for a composite that never held anything
 * @throws Error while a draw is open, or when the hold was settled before
 */
export async function settleBudget(
  tx: Tx,
  input: { taskId: string; delivered: boolean; reason: string },
): Promise<'captured' | 'refunding' | 'none'> {
  const hold = await readHold(tx, input.taskId);
  if (!hold) return 'none';
  const { budgetFreeCredits: free, budgetSpentCredits: spent } = hold;
  if (free === null || spent === null || free + spent !== hold.amountCredits) {
    throw new Error(`Children of task ${input.taskId} still hold credits`);
  }
  if (spent === 0 && !input.delivered) {
    await requestRefund(tx, input);
    return 'refunding';
  }
  await captureHold(tx, { taskId: input.taskId, capturedCredits: spent });
  return 'captured';
}

/** What a child's hold did not use may be drawn again; what it used is counted. Closed by the child's own row, once. */
async function closeDraw(tx: Tx, hold: HoldRow): Promise<void> {
  if (hold.parentTaskId === null) throw new Error(`The hold of task ${hold.taskId} has no parent`);
  await returnToHold(tx, {
    parentTaskId: hold.parentTaskId,
    freeCredits: hold.returnedCredits,
    spentCredits: hold.capturedCredits,
  });
  await crashPoint('draw.after-return');
}

/** After the entry of the hold, which locked the account: no debt can appear between look and commit. */
async function refuseDebtors(tx: Tx, userId: string): Promise<void> {
  const debts = await listOpenDebts(tx, userId);
  const owed = debts.reduce((sum, debt) => sum + debt.remainingCredits, 0);
  if (owed > 0) {
    throw new AppError(
      'insufficient_credits',
      `You owe ${owed} credits (${debts[0]?.reason}). Buy or redeem credits first; they pay it off.`,
    );
  }
}

const settledBefore = (taskId: string): Error =>
  new Error(`The hold of task ${taskId} was settled before, or children have drawn on it`);

/**
 * Settles a hold by a delivery: captures `capturedCredits` and returns the rest, in the caller's transaction.
 *
 * @throws Error when the hold was settled before: the caller's transaction must not commit a second settlement
 */
export async function captureHold(tx: Tx, input: { taskId: string; capturedCredits: number }): Promise<void> {
  const hold = await closeHoldAsCaptured(tx, input);
  if (!hold) throw settledBefore(input.taskId);
  await crashPoint('capture.after-close');
  if (hold.source === 'parent') return closeDraw(tx, hold);
  await postEntry(tx, {
    userId: hold.userId,
    kind: 'return',
    deltaCredits: hold.returnedCredits,
    key: `return:task:${input.taskId}`,
    taskId: input.taskId,
    backToHold: holdKey(input.taskId),
    actor: 'executor',
    reason: 'Not delivered in full: the rest is returned',
  });
  await crashPoint('capture.after-entry');
  await returnToGuard(tx, { taskId: input.taskId, credits: hold.returnedCredits });
}

/**
 * Settles a hold by a refund: writes the refund row that the refund lane posts to the ledger, in the transaction that
 * ends the task. Unique per task. What was drawn from a composite goes back to it at once, without a refund row.
 *
 * @throws Error when the hold was settled before
 */
export async function requestRefund(tx: Tx, input: { taskId: string; reason: string }): Promise<void> {
  const drawn = await closeHoldAsReturned(tx, input.taskId);
  if (drawn) return closeDraw(tx, drawn);
  const hold = await markHoldRefunding(tx, input.taskId);
  if (!hold) throw settledBefore(input.taskId);
  await crashPoint('refund.after-hold');
  await insertRefund(tx, {
    taskId: input.taskId,
    userId: hold.userId,
    amountCredits: hold.amountCredits,
    reason: input.reason,
  });
}
