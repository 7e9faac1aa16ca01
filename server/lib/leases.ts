import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db } from '#server/db/client.ts';

type LeasedTable = PgTable & {
  id: PgColumn;
  leaseUntil: PgColumn;
  leaseToken: PgColumn;
  leasedBy: PgColumn;
};

/** Ends of leases come from `clock_timestamp()`: `now()` is the start of the transaction, too early by its length. */
export const leaseEnd = (leaseSeconds: number): SQL =>
  sql`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;

/** True for rows nobody holds, by the database clock. */
export const unleased = (table: LeasedTable): SQL =>
  sql`(${table.leaseUntil} is null or ${table.leaseUntil} < now())`;

/** A list of ids as one bound parameter. */
export const uuidArray = (ids: readonly string[]): SQL => sql`${`{${ids.join(',')}}`}::uuid[]`;

/**
 * Locks many tasks in the order of their ids, for a CTE before a bulk update. Without it the order is the plan's choice
 * (a hash join walks the table), and two bulk statements over the same rows wait for each other. The youngest first: a
 * child's end locks the child and then its composite, which is older.
 *
 * Within one statement two of them can still deadlock while a third transaction refers to a row (`library/mark-queries.ts`
 * says how): savePolls then writes the rows singly, renewLeases tries again with its next beat.
 */
export const lockedInOrder = (ids: SQL): SQL =>
  sql`select id from generation_tasks where id = any(${ids}) order by id desc for no key update`;

/**
 * Claims rows: one statement that is claim and rescue. `due` selects ids and ends in
 * `limit n for no key update skip locked`; a CTE with a locking clause is never inlined, so it runs once and no join
 * order can claim more than the limit. NO KEY: `for update` would skip rows that an open foreign-key insert locks.
 * Each claim raises `lease_token`, which fences every later write.
 */
export async function claimRows<T extends LeasedTable>(
  db: Db,
  input: {
    table: T;
    due: SQL;
    leaseSeconds: number;
    executorId: string;
    also?: Record<string, unknown>;
  },
): Promise<T['$inferSelect'][]> {
  const { table } = input;
  const due = db.$with('due', { id: sql<string>`id`.as('id') }).as(input.due);
  const rows = await db
    .with(due)
    .update(table as PgTable)
    .set({
      leaseUntil: leaseEnd(input.leaseSeconds),
      leaseToken: sql`${table.leaseToken} + 1`,
      leasedBy: input.executorId,
      ...input.also,
    } as never)
    .from(due)
    .where(eq(table.id, sql`due.id`))
    .returning(getTableColumns(table as PgTable) as Record<string, PgColumn>);
  return rows as T['$inferSelect'][];
}

/**
 * Extends the leases of claimed rows, each under the token of its claim. Rows that ended meanwhile have no lease any
 * more and get none.
 */
export async function renewRows(
  db: Db,
  input: {
    table: LeasedTable;
    rows: readonly { id: string; leaseToken: number }[];
    leaseSeconds: number;
  },
): Promise<void> {
  const { table, rows } = input;
  const ids = uuidArray(rows.map((row) => row.id));
  const tokens = sql`${`{${rows.map((row) => row.leaseToken).join(',')}}`}::bigint[]`;
  // Locked in the order of their ids: two bulk renewals never wait for each other.
  await db.execute(sql`
    with locked as materialized (
      select id from ${table} where id = any(${ids}) and lease_until is not null order by id for no key update
    )
    update ${table} r set lease_until = ${leaseEnd(input.leaseSeconds)}
    from locked, unnest(${ids}, ${tokens}) as held(id, token)
    where r.id = locked.id and r.id = held.id and r.lease_token = held.token and r.lease_until is not null`);
}
