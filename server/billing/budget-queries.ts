import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#server/db/client.ts';
import { creditHolds } from '#server/db/schema/index.ts';
import type { HoldRow } from './queries.ts';

/** Takes credits for a child out of what is free; false when there is less, or the hold is not open or not this user's. */
export async function drawFromHold(
  tx: Tx,
  input: { parentTaskId: string; userId: string; credits: number },
): Promise<boolean> {
  const rows = await tx
    .update(creditHolds)
    .set({ budgetFreeCredits: sql`${creditHolds.budgetFreeCredits} - ${input.credits}` })
    .where(
      and(
        eq(creditHolds.taskId, input.parentTaskId),
        eq(creditHolds.userId, input.userId),
        eq(creditHolds.status, 'held'),
        sql`${creditHolds.budgetFreeCredits} >= ${input.credits}`,
      ),
    )
    .returning({ taskId: creditHolds.taskId });
  return rows.length === 1;
}

/** Closes a child's draw. @throws Error when the composite's hold is settled already: that must never happen */
export async function returnToHold(
  tx: Tx,
  input: { parentTaskId: string; freeCredits: number; spentCredits: number },
): Promise<void> {
  const rows = await tx
    .update(creditHolds)
    .set({
      budgetFreeCredits: sql`${creditHolds.budgetFreeCredits} + ${input.freeCredits}`,
      budgetSpentCredits: sql`${creditHolds.budgetSpentCredits} + ${input.spentCredits}`,
    })
    .where(and(eq(creditHolds.taskId, input.parentTaskId), eq(creditHolds.status, 'held')))
    .returning({ taskId: creditHolds.taskId });
  if (rows.length !== 1)
    throw new Error(`The budget of task ${input.parentTaskId} was settled before its children`);
}

/** `held → refunded` of what was drawn from a composite; undefined for any other hold, or when it was settled before. */
export async function closeHoldAsReturned(tx: Tx, taskId: string): Promise<HoldRow | undefined> {
  const [row] = await tx
    .update(creditHolds)
    .set({ status: 'refunded', returnedCredits: creditHolds.amountCredits, closedAt: sql`now()` })
    .where(
      and(eq(creditHolds.taskId, taskId), eq(creditHolds.status, 'held'), eq(creditHolds.source, 'parent')),
    )
    .returning();
  return row;
}
