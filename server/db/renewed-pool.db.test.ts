import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditLog } from '#server/db/schema/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import type { DbHandle } from './client.ts';

let t: TestDatabase;
/** The pool whose connections are lost; another one takes them away. */
let pool: DbHandle;
beforeAll(async () => {
  t = await createTestDatabase();
  pool = t.open({ max: 3 });
});
afterAll(() => t.close());

/** Loses the connection of a transaction with a statement on the way, as a restart of the server does. */
const lose = () =>
  pool.db.transaction(async (tx) => {
    const [row] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    await t.sql`select pg_terminate_backend(${row?.pid ?? 0})`;
    await tx.execute(sql`select 1`);
  });

it('whatever comes after a loss is answered, however many connections were lost in the middle of a write', async () => {
  for (let round = 0; round < 3; round += 1) {
    await Promise.allSettled([lose(), lose(), lose()]);
    const after = Array.from({ length: 6 }, (_, index) =>
      pool.db.transaction(async (tx) => {
        const [row] = await tx.execute<{ n: number }>(sql`select ${index}::int as n`);
        return row?.n;
      }),
    );
    expect(await Promise.all(after)).toEqual([0, 1, 2, 3, 4, 5]);
  }
});

it('what runs beside a loss ends where it began', async () => {
  const slow = pool.db.transaction(async (tx) => {
    const [before] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    await Promise.allSettled([lose()]);
    await pool.db.execute(sql`select 1`);
    const [after] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    return [before?.pid, after?.pid];
  });
  const [before, after] = await slow;
  expect(after).toBe(before);
});

it('values go in and come out after a loss as they did before', async () => {
  const write = async () => {
    const [row] = await pool.db
      .insert(auditLog)
      .values({ action: 'test.write', subject: 'test', subjectId: 'one', data: { kept: true } })
      .returning();
    const [stored] =
      await t.sql`select jsonb_typeof(data) as type from audit_log where id = ${row?.id ?? ''}`;
    const [raw] = await pool.db.execute(sql`select now() as at`);
    return { data: row?.data, stored: stored?.type, moment: typeof raw?.at };
  };
  const before = await write();
  expect(before).toEqual({ data: { kept: true }, stored: 'object', moment: 'string' });
  await Promise.allSettled([lose()]);
  expect(await write()).toEqual(before);
});
