import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import {
  creditAccounts,
  creditBucketMoves,
  creditBuckets,
  creditDebts,
  creditLedger,
} from '#server/db/schema/index.ts';
import type { Bucket, BucketMove, Draw } from './allocate.ts';
import type { UserId } from './queries.ts';

export type DebtRow = typeof creditDebts.$inferSelect;

/** The database's clock, after whatever the transaction has waited for. */
export async function readClock(db: DbOrTx): Promise<Date> {
  const rows = await db.execute<{ ms: number }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return new Date(rows[0]?.ms ?? Number.NaN);
}

/** Buckets of a user that hold something, expired ones included. */
export async function listFilledBuckets(db: DbOrTx, userId: UserId): Promise<Bucket[]> {
  return db
    .select({
      id: creditBuckets.id,
      kind: creditBuckets.kind,
      remainingCredits: creditBuckets.remainingCredits,
      expiresAt: creditBuckets.expiresAt,
      orderId: creditBuckets.orderId,
    })
    .from(creditBuckets)
    .where(and(eq(creditBuckets.userId, userId), gt(creditBuckets.remainingCredits, 0)))
    .orderBy(asc(creditBuckets.expiresAt), asc(creditBuckets.id));
}

/** What can be spent now: live buckets only, however late the expiry sweep is. */
export async function readSpendable(db: DbOrTx, userId: UserId): Promise<number> {
  const [row] = await db
    .select({
      // Written out: in a select of one table a column reference loses its table, and would mean the inner one here.
      credits: sql<string>`${creditAccounts.balanceCredits} - coalesce((
        select sum(b.remaining_credits) from ${creditBuckets} b
        where b.user_id = credit_accounts.user_id and b.remaining_credits > 0 and b.expires_at <= now()), 0)`,
    })
    .from(creditAccounts)
    .where(eq(creditAccounts.userId, userId));
  return Number(row?.credits ?? 0);
}

export async function insertBucket(tx: Tx, bucket: typeof creditBuckets.$inferInsert): Promise<void> {
  await tx.insert(creditBuckets).values(bucket);
}

/** Moves buckets by one entry's parts and records them; `sign` is -1 for parts that are taken. */
export async function moveBuckets(
  tx: Tx,
  input: { entryId: string; moves: readonly BucketMove[]; sign: 1 | -1 },
): Promise<void> {
  for (const move of input.moves) {
    await tx
      .update(creditBuckets)
      .set({ remainingCredits: sql`${creditBuckets.remainingCredits} + ${input.sign * move.credits}` })
      .where(eq(creditBuckets.id, move.bucketId));
  }
  await insertMoves(tx, input);
}

/** Records parts of an entry whose buckets hold them already (made by the same entry). */
export async function insertMoves(
  tx: Tx,
  input: { entryId: string; moves: readonly BucketMove[]; sign: 1 | -1 },
): Promise<void> {
  if (input.moves.length === 0) return;
  await tx.insert(creditBucketMoves).values(
    input.moves.map((move) => ({
      entryId: input.entryId,
      bucketId: move.bucketId,
      deltaCredits: input.sign * move.credits,
    })),
  );
}

/** Marks a bucket whose rest was just taken as expired; it takes nothing back any more. */
export async function closeExpiredBucket(tx: Tx, bucketId: string): Promise<void> {
  await tx
    .update(creditBuckets)
    .set({ expiredAt: sql`clock_timestamp()` })
    .where(eq(creditBuckets.id, bucketId));
}

/** What a hold took, in the order in which it took (soonest expiry first), and when; by its key or its task. */
export async function readDraws(
  tx: Tx,
  hold: { key: string } | { taskId: string },
): Promise<{ drawnAt: Date; draws: Draw[] } | undefined> {
  const rows = await tx
    .select({
      drawnAt: creditLedger.createdAt,
      bucketId: creditBuckets.id,
      kind: creditBuckets.kind,
      delta: creditBucketMoves.deltaCredits,
      expiresAt: creditBuckets.expiresAt,
      expiredAt: creditBuckets.expiredAt,
      restoredFrom: creditBuckets.restoredFrom,
      orderId: creditBuckets.orderId,
    })
    .from(creditLedger)
    .innerJoin(creditBucketMoves, eq(creditBucketMoves.entryId, creditLedger.id))
    .innerJoin(creditBuckets, eq(creditBuckets.id, creditBucketMoves.bucketId))
    .where(
      'key' in hold
        ? eq(creditLedger.key, hold.key)
        : and(eq(creditLedger.taskId, hold.taskId), eq(creditLedger.kind, 'hold')),
    )
    .orderBy(asc(creditBuckets.expiresAt), asc(creditBuckets.id));
  const [first] = rows;
  if (!first) return undefined;
  return {
    drawnAt: first.drawnAt,
    draws: rows.map((row) => ({
      bucketId: row.bucketId,
      kind: row.kind,
      credits: -row.delta,
      expiresAt: row.expiresAt,
      swept: row.expiredAt !== null,
      restored: row.restoredFrom !== null,
      orderId: row.orderId,
    })),
  };
}

export type OldEntry = Pick<
  typeof creditLedger.$inferSelect,
  'id' | 'kind' | 'deltaCredits' | 'taskId' | 'createdAt'
>;

/** Entries of an older release, which knew no buckets, that no movement has assigned yet; oldest first. */
export async function listUnassignedEntries(tx: Tx, userId: UserId): Promise<OldEntry[]> {
  return tx
    .select({
      id: creditLedger.id,
      kind: creditLedger.kind,
      deltaCredits: creditLedger.deltaCredits,
      taskId: creditLedger.taskId,
      createdAt: creditLedger.createdAt,
    })
    .from(creditLedger)
    .leftJoin(creditBucketMoves, eq(creditBucketMoves.entryId, creditLedger.id))
    .where(
      and(
        eq(creditLedger.userId, userId),
        eq(creditLedger.bucketed, false),
        isNull(creditBucketMoves.entryId),
      ),
    )
    .orderBy(asc(creditLedger.createdAt), asc(creditLedger.id));
}

/** Users with credits in expired buckets that are still in their balance, oldest expiry first. */
export async function listUsersWithExpired(db: DbOrTx, limit: number): Promise<UserId[]> {
  const rows = await db
    .select({ userId: creditBuckets.userId })
    .from(creditBuckets)
    .where(and(gt(creditBuckets.remainingCredits, 0), sql`${creditBuckets.expiresAt} <= now()`))
    .groupBy(creditBuckets.userId)
    .orderBy(sql`min(${creditBuckets.expiresAt})`)
    .limit(limit);
  return rows.map((row) => row.userId);
}

/** When the next bucket that holds something expires, of those that have not yet; null when none will. */
export async function nextBucketExpiry(db: DbOrTx): Promise<Date | null> {
  const [row] = await db
    .select({ at: creditBuckets.expiresAt })
    .from(creditBuckets)
    .where(and(gt(creditBuckets.remainingCredits, 0), sql`${creditBuckets.expiresAt} > now()`))
    .orderBy(asc(creditBuckets.expiresAt), asc(creditBuckets.id))
    .limit(1);
  return row?.at ?? null;
}

/** One debt per key: a second one breaks the transaction rather than vanish. */
export async function insertDebt(tx: Tx, debt: typeof creditDebts.$inferInsert): Promise<void> {
  await tx.insert(creditDebts).values(debt);
}

export async function debtHasKey(db: DbOrTx, key: string): Promise<boolean> {
  const [row] = await db.select({ id: creditDebts.id }).from(creditDebts).where(eq(creditDebts.key, key));
  return row !== undefined;
}

/** Debts of a user that are not paid off, oldest first. */
export async function listOpenDebts(db: DbOrTx, userId: UserId): Promise<DebtRow[]> {
  return db
    .select()
    .from(creditDebts)
    .where(and(eq(creditDebts.userId, userId), gt(creditDebts.remainingCredits, 0)))
    .orderBy(asc(creditDebts.id));
}

export async function payDebt(tx: Tx, input: { debtId: string; credits: number }): Promise<void> {
  await tx
    .update(creditDebts)
    .set({
      remainingCredits: sql`${creditDebts.remainingCredits} - ${input.credits}`,
      settledAt: sql`case when ${creditDebts.remainingCredits} = ${input.credits} then clock_timestamp() end`,
    })
    .where(eq(creditDebts.id, input.debtId));
}

/** Buckets of a user for display: those that hold something live, soonest expiry first. */
export async function listLiveBuckets(
  db: DbOrTx,
  userId: UserId,
): Promise<(typeof creditBuckets.$inferSelect)[]> {
  return db
    .select()
    .from(creditBuckets)
    .where(
      and(
        eq(creditBuckets.userId, userId),
        gt(creditBuckets.remainingCredits, 0),
        or(isNull(creditBuckets.expiresAt), sql`${creditBuckets.expiresAt} > now()`),
      ),
    )
    .orderBy(asc(creditBuckets.expiresAt), asc(creditBuckets.id));
}
