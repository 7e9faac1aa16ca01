import type { Tx } from '#server/db/client.ts';
import { postEntry } from './ledger.ts';
import { closeHoldAsCaptured, insertHold, insertRefund, markHoldRefunding } from './queries.ts';

/** Takes the price of a task out of the balance. @throws AppError `insufficient_credits` */
export async function placeHold(
  tx: Tx,
  input: { taskId: string; userId: string; credits: number; reason: string },
): Promise<void> {
  await postEntry(tx, {
    userId: input.userId,
    kind: 'hold',
    deltaCredits: -input.credits,
    key: `hold:task:${input.taskId}`,
    taskId: input.taskId,
    actor: `user:${input.userId}`,
    reason: input.reason,
  });
  await insertHold(tx, { taskId: input.taskId, userId: input.userId, amountCredits: input.credits });
}

/**
 * Settles a hold by a delivery: captures `capturedCredits` and returns the rest, in the caller's transaction.
 *
 * @throws Error when the hold was settled before: the caller's transaction must not commit a second settlement
 */
export async function captureHold(tx: Tx, input: { taskId: string; capturedCredits: number }): Promise<void> {
  const hold = await closeHoldAsCaptured(tx, input);
  if (!hold) throw new Error(`The hold of task ${input.taskId} was settled before`);
  await postEntry(tx, {
    userId: hold.userId,
    kind: 'return',
    deltaCredits: hold.returnedCredits,
    key: `return:task:${input.taskId}`,
    taskId: input.taskId,
    actor: 'executor',
    reason: 'Not delivered in full: the rest is returned',
  });
}

/**
 * Settles a hold by a refund: writes the refund row that the refund lane posts to the ledger, in the transaction that
 * ends the task. Unique per task.
 *
 * @throws Error when the hold was settled before
 */
export async function requestRefund(tx: Tx, input: { taskId: string; reason: string }): Promise<void> {
  const hold = await markHoldRefunding(tx, input.taskId);
  if (!hold) throw new Error(`The hold of task ${input.taskId} was settled before`);
  await insertRefund(tx, {
    taskId: input.taskId,
    userId: hold.userId,
    amountCredits: hold.amountCredits,
    reason: input.reason,
  });
}
