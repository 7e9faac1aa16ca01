import { eq, getTableName, inArray, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { creditAccounts, generationTasks } from './schema/index.ts';

let t: TestDatabase;
beforeAll(async () => {
  // One connection, so that its own statistics can be read as soon as they are flushed.
  t = await createTestDatabase({ max: 1 });
});
afterAll(() => t.close());

/** Updates of the table while `work` ran, and how many of them touched no index. */
async function countUpdates(
  table: PgTable,
  work: () => Promise<void>,
): Promise<{ all: number; hot: number }> {
  const read = async () => {
    await t.sql`select pg_stat_force_next_flush()`;
    const [row] = await t.sql<{ all: number; hot: number }[]>`
      select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables
      where relname = ${getTableName(table)}`;
    return row ?? { all: 0, hot: 0 };
  };
  const before = await read();
  await work();
  const after = await read();
  return { all: after.all - before.all, hot: after.hot - before.hot };
}

/** A hundred running tasks, which fill several pages. */
beforeAll(async () => {
  const { id } = await createTask(t.db, { status: 'running' });
  await t.sql`
    insert into generation_tasks
    select (jsonb_populate_record(task, jsonb_build_object('id', gen_random_uuid()))).*
    from generation_tasks task, generate_series(1, 99) where task.id = ${id}`;
});

/** Some rows of each page that inserts have filled. */
async function chooseRows(perPage: number): Promise<string[]> {
  const rows = await t.sql<{ id: string }[]>`
    select id from (
      select id, page, row_number() over (partition by page order by id) as number, max(page) over () as last
      from (select id, (ctid::text::point)[0] as page from generation_tasks) placed
    ) numbered where number <= ${perPage} and page < last`;
  return rows.map((row) => row.id);
}

test('lease renewals and progress are heap-only updates', async () => {
  const ids = await chooseRows(3);
  expect(ids.length).toBeGreaterThanOrEqual(6);
  const counts = await countUpdates(generationTasks, async () => {
    await t.db
      .update(generationTasks)
      .set({
        leaseUntil: sql`clock_timestamp() + interval '30 s'`,
        leasedBy: newId(),
        leaseToken: sql`lease_token + 1`,
        workerId: 'daemon-1',
        progress: 50,
        wakeSeq: sql`wake_seq + 1`,
        version: sql`version + 1`,
        pollCount: sql`poll_count + 1`,
        lastPolledAt: sql`clock_timestamp()`,
        upstreamStatus: 'in_progress',
        updatedAt: sql`clock_timestamp()`,
      })
      .where(inArray(generationTasks.id, ids));
  });
  expect(counts).toEqual({ all: ids.length, hot: ids.length });
});

test('the measure sees an update that touches an index', async () => {
  const ids = await chooseRows(1);
  const counts = await countUpdates(generationTasks, async () => {
    await t.db
      .update(generationTasks)
      .set({ nextPollAt: sql`clock_timestamp() + interval '1 s'` })
      .where(inArray(generationTasks.id, ids));
  });
  expect(counts).toEqual({ all: ids.length, hot: 0 });
});

test('balances are moved by heap-only updates', async () => {
  const { id } = await createUser(t.db);
  const counts = await countUpdates(creditAccounts, async () => {
    for (let round = 0; round < 50; round += 1) {
      await t.db
        .update(creditAccounts)
        .set({ balanceCredits: sql`${creditAccounts.balanceCredits} - 1`, updatedAt: sql`now()` })
        .where(eq(creditAccounts.userId, id));
    }
  });
  expect(counts).toEqual({ all: 50, hot: 50 });
});

test('the hot table has its storage parameters', async () => {
  const [row] = await t.sql<{ options: string[] }[]>`
    select reloptions as options from pg_class where oid = 'generation_tasks'::regclass`;
  expect(row?.options).toEqual(
    expect.arrayContaining([
      'fillfactor=70',
      'autovacuum_vacuum_scale_factor=0.01',
      'autovacuum_vacuum_cost_limit=2000',
    ]),
  );
});

test('no index names a column that renewals write', async () => {
  const rows = await t.sql<{ name: string }[]>`
    select indexname as name from pg_indexes
    where tablename = 'generation_tasks'
      and indexdef ~ '\\m(lease_until|lease_token|leased_by|worker_id|progress|wake_seq|updated_at|last_polled_at)\\M'`;
  expect(rows.map((row) => row.name)).toEqual([]);
});
