import { and, desc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import {
  creditAccounts,
  creditHolds,
  creditLedger,
  creditRefunds,
  generationTasks,
  type users,
} from '#server/db/schema/index.ts';
import { claimRows, unleased, uuidArray } from '#server/lib/leases.ts';
import type { LedgerFilters } from './schemas.ts';

export type LedgerRow = typeof creditLedger.$inferSelect;
export type LedgerKind = LedgerRow['kind'];
export type HoldRow = typeof creditHolds.$inferSelect;
export type RefundRow = typeof creditRefunds.$inferSelect;
export type UserId = (typeof users.$inferSelect)['id'];

export async function insertAccount(db: DbOrTx, userId: UserId): Promise<void> {
  await db.insert(creditAccounts).values({ userId }).onConflictDoNothing();
}

/** Locks the account row, so that all movements of one user happen one after the other. */
export async function lockAccount(tx: Tx, userId: UserId): Promise<{ balanceCredits: number } | undefined> {
  const [row] = await tx
    .select({ balanceCredits: creditAccounts.balanceCredits })
    .from(creditAccounts)
    .where(eq(creditAccounts.userId, userId))
    .for('no key update');
  return row;
}

export async function ledgerHasKey(db: DbOrTx, key: string): Promise<boolean> {
  const [row] = await db.select({ id: creditLedger.id }).from(creditLedger).where(eq(creditLedger.key, key));
  return row !== undefined;
}

/** Moves the balance if it stays ≥ 0; undefined when it would not. */
export async function moveBalance(tx: Tx, userId: UserId, deltaCredits: number): Promise<number | undefined> {
  const [row] = await tx
    .update(creditAccounts)
    .set({ balanceCredits: sql`${creditAccounts.balanceCredits} + ${deltaCredits}`, updatedAt: sql`now()` })
    .where(
      and(eq(creditAccounts.userId, userId), sql`${creditAccounts.balanceCredits} + ${deltaCredits} >= 0`),
    )
    .returning({ balanceCredits: creditAccounts.balanceCredits });
  return row?.balanceCredits;
}

export async function insertLedgerEntry(tx: Tx, entry: typeof creditLedger.$inferInsert): Promise<void> {
  await tx.insert(creditLedger).values(entry);
}

/** A date alone would be taken in the session's zone first: only a timestamp without zone is read as UTC. */
const utcMidnight = (day: SQL): SQL => sql`((${day})::timestamp at time zone 'UTC')`;

export async function listLedger(
  db: Db,
  input: LedgerFilters & { userId: UserId; cursor?: string; limit: number },
): Promise<LedgerRow[]> {
  return db
    .select()
    .from(creditLedger)
    .where(
      and(
        eq(creditLedger.userId, input.userId),
        input.cursor ? lt(creditLedger.id, input.cursor) : undefined,
        input.kind ? eq(creditLedger.kind, input.kind) : undefined,
        input.from ? sql`${creditLedger.createdAt} >= ${utcMidnight(sql`${input.from}::date`)}` : undefined,
        input.to ? sql`${creditLedger.createdAt} < ${utcMidnight(sql`${input.to}::date + 1`)}` : undefined,
      ),
    )
    .orderBy(desc(creditLedger.id))
    .limit(input.limit);
}

export async function sumOpenHolds(db: DbOrTx, userId: UserId): Promise<number> {
  const [row] = await db
    .select({ total: sql<string>`coalesce(sum(${creditHolds.amountCredits}), 0)` })
    .from(creditHolds)
    .where(
      and(
        eq(creditHolds.userId, userId),
        inArray(creditHolds.status, ['held', 'refunding']),
        // What children have drawn is part of what their composite holds.
        eq(creditHolds.source, 'balance'),
      ),
    );
  return Number(row?.total ?? 0);
}

/** Whoever settles a budget takes what its children were charged, and no child may hold a part of it any more. */
const budgetIsSpent = (credits: number): SQL =>
  sql`(${creditHolds.budgetFreeCredits} is null or ${creditHolds.budgetSpentCredits} = ${credits}
    and ${creditHolds.budgetFreeCredits} + ${creditHolds.budgetSpentCredits} = ${creditHolds.amountCredits})`;

export async function insertHold(tx: Tx, hold: typeof creditHolds.$inferInsert): Promise<void> {
  await tx.insert(creditHolds).values(hold);
}

/** `held → captured`; undefined when the hold was settled before, or is a budget of which this was not what was spent. */
export async function closeHoldAsCaptured(
  tx: Tx,
  input: { taskId: string; capturedCredits: number },
): Promise<HoldRow | undefined> {
  const [row] = await tx
    .update(creditHolds)
    .set({
      status: 'captured',
      capturedCredits: input.capturedCredits,
      returnedCredits: sql`${creditHolds.amountCredits} - ${input.capturedCredits}`,
      closedAt: sql`now()`,
    })
    .where(
      and(
        eq(creditHolds.taskId, input.taskId),
        eq(creditHolds.status, 'held'),
        budgetIsSpent(input.capturedCredits),
      ),
    )
    .returning();
  return row;
}

export async function readHold(db: DbOrTx, taskId: string): Promise<HoldRow | undefined> {
  const [row] = await db.select().from(creditHolds).where(eq(creditHolds.taskId, taskId));
  return row;
}

/** `held → refunding`; undefined when the hold was settled before, or is a budget that was drawn on. */
export async function markHoldRefunding(tx: Tx, taskId: string): Promise<HoldRow | undefined> {
  const [row] = await tx
    .update(creditHolds)
    .set({ status: 'refunding' })
    .where(and(eq(creditHolds.taskId, taskId), eq(creditHolds.status, 'held'), budgetIsSpent(0)))
    .returning();
  return row;
}

/** `refunding → refunded`; false when that had happened before. */
export async function closeHoldAsRefunded(tx: Tx, taskId: string): Promise<boolean> {
  const rows = await tx
    .update(creditHolds)
    .set({ status: 'refunded', returnedCredits: creditHolds.amountCredits, closedAt: sql`now()` })
    .where(and(eq(creditHolds.taskId, taskId), eq(creditHolds.status, 'refunding')))
    .returning({ taskId: creditHolds.taskId });
  if (rows.length === 1) await showMoney(tx, taskId);
  return rows.length === 1;
}

/** A task's money is part of what its page shows: raises the version, so that whoever watches it is told. */
export async function showMoney(db: DbOrTx, taskId: string): Promise<void> {
  await db
    .update(generationTasks)
    .set({ version: sql`${generationTasks.version} + 1` })
    .where(eq(generationTasks.id, taskId));
}

export async function insertRefund(tx: Tx, refund: typeof creditRefunds.$inferInsert): Promise<void> {
  await tx.insert(creditRefunds).values(refund);
}

/** Whose leases a batch of refunds keeps. */
export const leasedRefunds = creditRefunds;

/** Claims due refunds under a lease, each by one caller. */
export async function claimDueRefunds(
  db: Db,
  input: { limit: number; leaseSeconds: number; executorId: string; taskIds?: readonly string[] },
): Promise<RefundRow[]> {
  const only = input.taskIds ? sql`and task_id = any(${uuidArray(input.taskIds)})` : sql``;
  return claimRows(db, {
    table: creditRefunds,
    leaseSeconds: input.leaseSeconds,
    executorId: input.executorId,
    due: sql`
      select id from ${creditRefunds}
      where status = 'pending' and next_attempt_at <= now() and ${unleased(creditRefunds)} ${only}
      order by next_attempt_at, id
      limit ${input.limit}
      for no key update skip locked`,
  });
}

/** `pending → settled` under the lease token; false when another holder has it. */
export async function settleRefund(tx: Tx, refund: { id: string; leaseToken: number }): Promise<boolean> {
  const rows = await tx
    .update(creditRefunds)
    .set({
      status: 'settled',
      settledAt: sql`now()`,
      nextAttemptAt: null,
      leaseUntil: null,
      leasedBy: null,
      attempts: sql`${creditRefunds.attempts} + 1`,
      lastError: null,
    })
    .where(
      and(
        eq(creditRefunds.id, refund.id),
        eq(creditRefunds.leaseToken, refund.leaseToken),
        eq(creditRefunds.status, 'pending'),
      ),
    )
    .returning({ id: creditRefunds.id });
  return rows.length === 1;
}

/** Puts a refund off after a failure, or hands it to people when its tries are used up. */
export async function postponeRefund(
  db: Db,
  input: { id: string; leaseToken: number; delayMs: number; manual: boolean; error: string },
): Promise<void> {
  const [row] = await db
    .update(creditRefunds)
    .set({
      attempts: sql`${creditRefunds.attempts} + 1`,
      status: input.manual ? 'manual' : 'pending',
      nextAttemptAt: input.manual ? null : sql`now() + make_interval(secs => ${input.delayMs / 1000})`,
      leaseUntil: null,
      leasedBy: null,
      lastError: input.error,
    })
    .where(
      and(
        eq(creditRefunds.id, input.id),
        eq(creditRefunds.leaseToken, input.leaseToken),
        eq(creditRefunds.status, 'pending'),
      ),
    )
    .returning({ taskId: creditRefunds.taskId });
  if (row && input.manual) await showMoney(db, row.taskId);
}

/** When the next refund can be claimed; null when none is pending. */
export async function nextRefundDueAt(db: Db): Promise<Date | null> {
  const [row] = await db
    .select({
      at: sql<string | null>`min(greatest(${creditRefunds.nextAttemptAt}, ${creditRefunds.leaseUntil}))`,
    })
    .from(creditRefunds)
    .where(eq(creditRefunds.status, 'pending'));
  return row?.at ? new Date(row.at) : null;
}
