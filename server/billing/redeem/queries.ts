import { and, asc, eq, gt, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { contains, keyset, oneOf } from '#server/db/keyset.ts';
import {
  creditBucketMoves,
  creditBuckets,
  creditLedger,
  redeemBatches,
  redeemCodes,
  users,
} from '#server/db/schema/index.ts';
import type { BatchesInput } from './schemas.ts';

type BatchRow = typeof redeemBatches.$inferSelect;
export type CodeWithBatch = {
  id: string;
  code: string;
  redeemedBy: string | null;
  batch: Pick<BatchRow, 'id' | 'title' | 'credits' | 'validDays' | 'oncePerUser' | 'revokedAt'>;
  /** By the database's clock. */
  expired: boolean;
};

/**
 * The code and its batch. The batch is locked against a revocation: what is redeemed was redeemed before it, and when
 * revoking has returned, nothing of the batch is redeemed any more.
 */
export async function findCode(tx: Tx, code: string): Promise<CodeWithBatch | undefined> {
  const [row] = await tx
    .select({
      id: redeemCodes.id,
      code: redeemCodes.code,
      redeemedBy: redeemCodes.redeemedBy,
      batch: {
        id: redeemBatches.id,
        title: redeemBatches.title,
        credits: redeemBatches.credits,
        validDays: redeemBatches.validDays,
        oncePerUser: redeemBatches.oncePerUser,
        revokedAt: redeemBatches.revokedAt,
      },
      expired: sql<boolean>`coalesce(${redeemBatches.expiresAt} <= clock_timestamp(), false)`,
    })
    .from(redeemCodes)
    .innerJoin(redeemBatches, eq(redeemBatches.id, redeemCodes.batchId))
    .where(eq(redeemCodes.code, code))
    .for('share', { of: redeemBatches });
  return row;
}

/** Gives a code to one person; false when somebody was faster. */
export async function takeCode(
  tx: Tx,
  input: { codeId: string; userId: string; oncePerUser: boolean },
): Promise<boolean> {
  const rows = await tx
    .update(redeemCodes)
    .set({
      redeemedBy: input.userId,
      redeemedAt: sql`clock_timestamp()`,
      onceFor: input.oncePerUser ? input.userId : null,
    })
    .where(and(eq(redeemCodes.id, input.codeId), isNull(redeemCodes.redeemedBy)))
    .returning({ id: redeemCodes.id });
  return rows.length === 1;
}

/** What an entry brought: until when it lives, and what of it went into debts. */
export async function readIncome(
  tx: Tx,
  input: { userId: string; key: string },
): Promise<{ expiresAt: Date | null; paidDebtCredits: number }> {
  const [bucket] = await tx
    .select({ expiresAt: creditBuckets.expiresAt })
    .from(creditLedger)
    .innerJoin(creditBucketMoves, eq(creditBucketMoves.entryId, creditLedger.id))
    .innerJoin(creditBuckets, eq(creditBuckets.id, creditBucketMoves.bucketId))
    .where(eq(creditLedger.key, input.key));
  const [debts] = await tx
    .select({ credits: sql<string>`coalesce(-sum(${creditLedger.deltaCredits}), 0)` })
    .from(creditLedger)
    .where(
      and(
        eq(creditLedger.userId, input.userId),
        eq(creditLedger.kind, 'debt_payment'),
        sql`${creditLedger.key} like ${`debt:%:${input.key}`}`,
      ),
    );
  return { expiresAt: bucket?.expiresAt ?? null, paidDebtCredits: Number(debts?.credits ?? 0) };
}

/** False when there is a batch with this id already. */
export async function insertBatch(tx: Tx, batch: typeof redeemBatches.$inferInsert): Promise<boolean> {
  const rows = await tx
    .insert(redeemBatches)
    .values(batch)
    .onConflictDoNothing({ target: redeemBatches.id })
    .returning({ id: redeemBatches.id });
  return rows.length === 1;
}

export async function insertCodes(tx: Tx, codes: (typeof redeemCodes.$inferInsert)[]): Promise<void> {
  await tx.insert(redeemCodes).values(codes);
}

/** False when there is no such batch, or it was revoked before. */
export async function markRevoked(tx: Tx, batchId: string): Promise<boolean> {
  const rows = await tx
    .update(redeemBatches)
    .set({ revokedAt: sql`clock_timestamp()` })
    .where(and(eq(redeemBatches.id, batchId), isNull(redeemBatches.revokedAt)))
    .returning({ id: redeemBatches.id });
  return rows.length === 1;
}

export type CountedBatch = BatchRow & { redeemedCount: number; expired: boolean };

const REDEEMED = sql<number>`(
  select count(*)::int from ${redeemCodes} c where c.batch_id = redeem_batches.id and c.redeemed_by is not null)`;
const EXPIRED = sql<boolean>`coalesce(${redeemBatches.expiresAt} <= now(), false)`;

const counted = (db: DbOrTx, sortKey = sql<string>`''`) =>
  db.select({ batch: redeemBatches, redeemedCount: REDEEMED, expired: EXPIRED, sortKey }).from(redeemBatches);

export async function findBatch(db: DbOrTx, batchId: string): Promise<CountedBatch | undefined> {
  const [row] = await counted(db).where(eq(redeemBatches.id, batchId));
  return row && { ...row.batch, redeemedCount: row.redeemedCount, expired: row.expired };
}

/** In the order asked for. */
export async function listBatches(
  db: DbOrTx,
  input: BatchesInput,
): Promise<(CountedBatch & { sortKey: string })[]> {
  const { after, orderBy, sortKey } = keyset({
    sort: input.sort,
    descending: input.order === 'desc',
    cursor: input.cursor,
    columns: {
      made: { column: sql`${redeemBatches.createdAt}`, type: 'moment' },
      credits: { column: sql`${redeemBatches.credits}`, type: 'number' },
      codes: { column: sql`${redeemBatches.codeCount}`, type: 'number' },
    },
    id: sql`${redeemBatches.id}`,
  });
  const { from, to } = input;
  const rows = await counted(db, sortKey)
    .where(
      and(
        after,
        input.state ? inState(input.state) : undefined,
        oneOf(sql`${redeemBatches.id}`, input.ids),
        input.search === '' ? undefined : contains(sql`${redeemBatches.title}`, input.search),
        from ? sql`${redeemBatches.createdAt} >= ${from}::timestamp at time zone 'UTC'` : undefined,
        to
          ? sql`${redeemBatches.createdAt} < (${to}::timestamp + interval '1 day') at time zone 'UTC'`
          : undefined,
      ),
    )
    .orderBy(...orderBy)
    .limit(input.limit);
  return rows.map(({ batch, ...row }) => ({ ...batch, ...row }));
}

function inState(state: NonNullable<BatchesInput['state']>): SQL | undefined {
  const usedUp = sql`${REDEEMED} >= ${redeemBatches.codeCount}`;
  const living = isNull(redeemBatches.revokedAt);
  switch (state) {
    case 'revoked':
      return isNotNull(redeemBatches.revokedAt);
    case 'used_up':
      return and(living, usedUp);
    case 'expired':
      return and(living, sql`not ${usedUp}`, EXPIRED);
    case 'open':
      return and(living, sql`not ${usedUp}`, sql`not ${EXPIRED}`);
  }
}

/** Codes of a batch in the order in which they were made. */
export async function listCodes(db: DbOrTx, input: { batchId: string; cursor?: string; limit: number }) {
  return db
    .select({
      id: redeemCodes.id,
      code: redeemCodes.code,
      redeemedBy: redeemCodes.redeemedBy,
      redeemedAt: redeemCodes.redeemedAt,
      redeemer: { email: users.email, deletedAt: users.deletedAt },
    })
    .from(redeemCodes)
    .leftJoin(users, eq(users.id, redeemCodes.redeemedBy))
    .where(
      and(
        eq(redeemCodes.batchId, input.batchId),
        input.cursor ? gt(redeemCodes.id, input.cursor) : undefined,
      ),
    )
    .orderBy(asc(redeemCodes.id))
    .limit(input.limit);
}
