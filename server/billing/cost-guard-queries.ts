import { and, eq, sql } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { costGuard, creditDaySpending, creditHolds, users } from '#server/db/schema/index.ts';
import type { UserId } from './queries.ts';
import type { CostGuardLimits } from './schemas.ts';

type CostGuardRow = typeof costGuard.$inferSelect;

/** Key of the advisory lock under which the total of a day is added up: the letters "spending" as a number. */
const TOTAL_LOCK = '8318260036558745191';

const spent = creditDaySpending.spentCredits;

export async function readCostGuard(db: DbOrTx): Promise<CostGuardRow | undefined> {
  const [row] = await db.select().from(costGuard).where(eq(costGuard.id, 1));
  return row;
}

/** The limits that count for one person: their own for a day goes before the general one. */
export async function readLimitsOf(db: DbOrTx, userId: UserId): Promise<CostGuardLimits | undefined> {
  const [row] = await db
    .select({
      taskCredits: costGuard.taskCredits,
      userDayCredits: sql<
        string | null
      >`coalesce(${users.dayCreditsLimit}, ${costGuard.userDayCredits})::text`,
      dayCredits: costGuard.dayCredits,
    })
    .from(users)
    .leftJoin(costGuard, eq(costGuard.id, 1))
    .where(eq(users.id, userId));
  const own = row?.userDayCredits ?? null;
  return row && { ...row, userDayCredits: own === null ? null : Number(own) };
}

/** Writes the limits and returns them as they were; callers follow one another. */
export async function saveCostGuard(tx: Tx, limits: CostGuardLimits): Promise<CostGuardRow | undefined> {
  await tx.insert(costGuard).values({ id: 1 }).onConflictDoNothing();
  const [before] = await tx.select().from(costGuard).where(eq(costGuard.id, 1)).for('update');
  await tx
    .update(costGuard)
    .set({ ...limits, updatedAt: sql`clock_timestamp()` })
    .where(eq(costGuard.id, 1));
  return before;
}

/** The UTC day by the database's clock, `2026-11-30`. */
export async function readUtcDay(db: DbOrTx): Promise<string> {
  const rows = (await db.execute(
    sql`select (clock_timestamp() at time zone 'UTC')::date::text as day`,
  )) as unknown as { day: string }[];
  const day = rows[0]?.day;
  if (!day) throw new Error('The database told no day');
  return day;
}

/** Counts credits for a user's day if the sum stays within `most` (null: whatever it is); false when it would not. */
export async function addToDay(
  tx: Tx,
  input: { userId: UserId; day: string; credits: number; most: number | null },
): Promise<boolean> {
  const { userId, day, credits, most } = input;
  if (most !== null && credits > most) return false;
  const rows = await tx
    .insert(creditDaySpending)
    .values({ userId, day, spentCredits: credits })
    .onConflictDoUpdate({
      target: [creditDaySpending.userId, creditDaySpending.day],
      set: { spentCredits: sql`${spent} + excluded.spent_credits` },
      setWhere: most === null ? undefined : sql`${spent} + excluded.spent_credits <= ${most}`,
    })
    .returning({ spentCredits: spent });
  return rows.length === 1;
}

export async function readUserDay(db: DbOrTx, userId: UserId, day: string): Promise<number> {
  const [row] = await db
    .select({ spentCredits: spent })
    .from(creditDaySpending)
    .where(and(eq(creditDaySpending.userId, userId), eq(creditDaySpending.day, day)));
  return row?.spentCredits ?? 0;
}

/** Lets one transaction after the other see the total of a day, until its commit. Take it after every other lock. */
export async function lockTotal(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${TOTAL_LOCK}::bigint)`);
}

/** What all users together have set aside on that day. */
export async function sumDay(db: DbOrTx, day: string): Promise<number> {
  const [row] = await db
    .select({ total: sql<string>`coalesce(sum(${spent}), 0)` })
    .from(creditDaySpending)
    .where(eq(creditDaySpending.day, day));
  return Number(row?.total ?? 0);
}

/** Gives credits of a task's hold back to the day that counted it; nothing for a hold that no day counted. */
export async function takeFromDay(tx: Tx, input: { taskId: string; credits: number }): Promise<void> {
  await tx
    .update(creditDaySpending)
    // Never below 0: a wrong count must not stop a refund.
    .set({ spentCredits: sql`greatest(0, ${spent} - ${input.credits})` })
    .from(creditHolds)
    .where(
      and(
        eq(creditHolds.taskId, input.taskId),
        eq(creditDaySpending.userId, creditHolds.userId),
        eq(creditDaySpending.day, creditHolds.spentOn),
      ),
    );
}
