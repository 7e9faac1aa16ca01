import { eq, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { creditAccounts, creditHolds, creditLedger, creditRefunds } from '#server/db/schema/index.ts';
import { isTerminal, type Status } from '#server/generation/status.ts';

/** Hold and ledger as they stand in that status: open, captured, returned, or with its refund pending. */
export async function insertTaskMoney(
  tx: DbOrTx,
  task: { id: string; userId: string; status: Status; holdCredits: number },
): Promise<void> {
  const { id: taskId, userId, status, holdCredits } = task;
  await moveCredits(tx, { userId, kind: 'hold', credits: -holdCredits, key: `hold:task:${taskId}`, taskId });
  const hold = { taskId, userId, amountCredits: holdCredits };
  if (!isTerminal(status)) {
    await tx.insert(creditHolds).values(hold);
  } else if (status === 'failed') {
    await tx.insert(creditHolds).values({ ...hold, status: 'refunding' });
    await tx
      .insert(creditRefunds)
      .values({ taskId, userId, amountCredits: holdCredits, reason: 'upstream_failed' });
  } else {
    const capturedCredits = status === 'succeeded' ? holdCredits : 0;
    const returnedCredits = holdCredits - capturedCredits;
    const closed = {
      status: 'captured' as const,
      capturedCredits,
      returnedCredits,
      closedAt: sql<Date>`clock_timestamp()`,
    };
    await tx.insert(creditHolds).values({ ...hold, ...closed });
    await moveCredits(tx, {
      userId,
      kind: 'return',
      credits: returnedCredits,
      key: `return:task:${taskId}`,
      taskId,
    });
  }
}

/** Balance and ledger together. A movement of 0 writes nothing. */
export async function moveCredits(
  tx: DbOrTx,
  move: { userId: string; kind: 'grant' | 'hold' | 'return'; credits: number; key: string; taskId?: string },
): Promise<void> {
  if (move.credits === 0) return;
  const [account] = await tx
    .update(creditAccounts)
    .set({ balanceCredits: sql`${creditAccounts.balanceCredits} + ${move.credits}` })
    .where(eq(creditAccounts.userId, move.userId))
    .returning();
  await tx.insert(creditLedger).values({
    userId: move.userId,
    kind: move.kind,
    deltaCredits: move.credits,
    balanceAfterCredits: present(account).balanceCredits,
    key: move.key,
    taskId: move.taskId,
    actor: 'test',
    reason: 'Test data',
  });
}

/** The row, which a test names or has just written. */
export function present<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('The test names a row that does not exist.');
  return row;
}
