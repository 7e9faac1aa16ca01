import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import type { DbHandle } from './client.ts';

/** An uncaught error of the driver fails the whole run, so what is tested here is also that there is none. */

let t: TestDatabase;
/** A pool of its own: the transactions may hold every connection of the other. */
let other: DbHandle;
beforeAll(async () => {
  t = await createTestDatabase();
  other = t.open({ max: 2 });
  await t.sql`create table notes (text text not null)`;
});
afterAll(() => t.close());

const notes = async () => (await t.sql<{ text: string }[]>`select text from notes`).map((row) => row.text);

/** Ends the connection that runs the transaction, as a restart of the server does, and waits for it to be known. */
async function hangUp(tx: { execute: TestDatabase['db']['execute'] }): Promise<void> {
  const [row] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  await other.sql`select pg_terminate_backend(${row?.pid ?? 0})`;
  await tx.execute(sql`select 1`).catch(() => undefined);
}

it('a transaction whose connection was lost runs nothing more, not even elsewhere', async () => {
  const refusals: string[] = [];
  const lost = t.db.transaction(async (tx) => {
    await tx.execute(sql`insert into notes values ('before')`);
    await hangUp(tx as never);
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      tx.execute(sql`insert into notes values ('after')`).catch((error: Error) =>
        refusals.push(String(error.cause)),
      );
    }
  });
  await expect(lost).rejects.toThrow();
  await expect.poll(() => refusals).toContain('Error: The connection of this transaction was closed');
  // Whatever would have run elsewhere has run by now.
  await t.db.transaction((tx) => tx.execute(sql`select 1`));
  expect(await notes()).toEqual([]);
});

it('the same inside a savepoint', async () => {
  const lost = t.db.transaction((tx) =>
    tx.transaction(async (inner) => {
      await hangUp(inner as never);
      await new Promise((resolve) => setImmediate(resolve));
      await inner.execute(sql`insert into notes values ('inner')`);
    }),
  );
  await expect(lost).rejects.toThrow();
  expect(await notes()).toEqual([]);
});

it('many at once leave a pool that works', async () => {
  await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      t.db.transaction(async (tx) => {
        await tx.execute(sql`insert into notes values (${`lost ${index}`})`);
        await hangUp(tx as never);
      }),
    ),
  );
  await t.db.transaction((tx) => tx.execute(sql`insert into notes values ('kept')`));
  await expect(
    t.db.transaction(async (tx) => {
      await tx.execute(sql`insert into notes values ('rolled back')`);
      throw new Error('by the work itself');
    }),
  ).rejects.toThrow('by the work itself');
  expect(await notes()).toEqual(['kept']);
});
