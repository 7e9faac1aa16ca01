import type { Db } from '#server/db/client.ts';
import { newId } from '#server/lib/ids.ts';
import type { TestDatabase } from '#server/testing/database.ts';
import type { BucketKind } from '../allocate.ts';
import { auditLedger } from '../audit.ts';
import type { Mismatch } from '../audit-queries.ts';
import { postEntry } from '../ledger.ts';

type Bucket = { id: string; kind: BucketKind; left: number; restoredFrom: string | null; expired: boolean };

/** What tests of money read and age, by SQL. Amounts are integer credits. */
export function moneyOf(t: TestDatabase) {
  return {
    async balance(userId: string): Promise<number> {
      const [row] = await t.sql`select balance_credits from credit_accounts where user_id = ${userId}`;
      return Number(row?.balance_credits);
    },
    /** Buckets of a user, in the order in which they were made. */
    async buckets(userId: string): Promise<Bucket[]> {
      const rows = await t.sql`
        select id, kind, remaining_credits, restored_from, expired_at from credit_buckets
        where user_id = ${userId} order by created_at, id`;
      return rows.map((row) => ({
        id: row.id,
        kind: row.kind,
        left: Number(row.remaining_credits),
        restoredFrom: row.restored_from,
        expired: row.expired_at !== null,
      }));
    },
    /** Ledger entries of a user as `kind amount`, in the order of the clock. */
    async entries(userId: string): Promise<string[]> {
      const rows = await t.sql`
        select kind, delta_credits from credit_ledger where user_id = ${userId} order by created_at, id`;
      return rows.map((row) => `${row.kind} ${row.delta_credits}`);
    },
    async owes(userId: string): Promise<number> {
      const [row] = await t.sql`
        select coalesce(sum(remaining_credits), 0) as owed from credit_debts where user_id = ${userId}`;
      return Number(row?.owed);
    },
    /** Gives credits in a bucket of their own. @returns the bucket's id */
    async give(userId: string, credits: number, validDays: number | null = null): Promise<string> {
      const key = newId();
      await give(t.db, { userId, credits, key, validDays });
      const [row] = await t.sql`
        select m.bucket_id from credit_bucket_moves m join credit_ledger l on l.id = m.entry_id
        where l.key = ${key}`;
      return row?.bucket_id;
    },
    /** What the audit says about users: their accounts, entries, buckets, debts, refunds and tasks that hold something. */
    async mismatches(...userIds: string[]): Promise<Mismatch[]> {
      const rows = await t.sql`
        select id from users where id = any(${userIds})
        union all select id from credit_ledger where user_id = any(${userIds})
        union all select id from credit_buckets where user_id = any(${userIds})
        union all select id from credit_debts where user_id = any(${userIds})
        union all select task_id from credit_holds where user_id = any(${userIds})
        union all select id from credit_refunds where user_id = any(${userIds})`;
      const known = new Set(rows.map((row) => row.id));
      return (await auditLedger(t.db)).filter(({ id }) => known.has(id));
    },
    /** Lets a bucket have ended so many seconds ago. */
    async endBucket(id: string, secondsAgo = 3_600): Promise<void> {
      await t.sql`
        update credit_buckets set expires_at = now() - make_interval(secs => ${secondsAgo}) where id = ${id}`;
    },
    /** Seconds of life that a bucket has left. */
    async lifeOf(id: string): Promise<number> {
      const [row] = await t.sql`
        select extract(epoch from expires_at - now())::float8 as life from credit_buckets where id = ${id}`;
      return Number(row?.life);
    },
  };
}

export function give(
  db: Db,
  input: { userId: string; credits: number; key: string; validDays?: number | null },
): Promise<boolean> {
  const { userId, credits, key, validDays = null } = input;
  return db.transaction((tx) =>
    postEntry(tx, {
      userId,
      kind: 'grant',
      deltaCredits: credits,
      key,
      actor: 'cli',
      reason: 'Test',
      bucket: { kind: 'granted', validDays },
    }),
  );
}
