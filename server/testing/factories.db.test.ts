import { afterAll, beforeAll, expect, test } from 'vitest';
import { STATUSES } from '#server/generation/status.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createTask, createUser } from './factories.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());

test.each(STATUSES)('a %s task is consistent: details, hold and ledger agree', async (status) => {
  const user = await createUser(t.db, { balanceCredits: 100 });
  const task = await createTask(t.db, { userId: user.id, status, holdCredits: 8 });
  const [row] = await t.sql<
    { balance: number; ledger: number; hold: string; details: number; refund: number }[]
  >`
    select a.balance_credits::int as balance,
      (select sum(delta_credits)::int from credit_ledger where user_id = ${user.id}) as ledger,
      h.status as hold,
      (select count(*)::int from generation_task_details where task_id = ${task.id}) as details,
      (select count(*)::int from credit_refunds where task_id = ${task.id} and status = 'pending') as refund
    from credit_accounts a join credit_holds h on h.task_id = ${task.id} where a.user_id = ${user.id}`;
  expect(row).toMatchObject({
    balance: status === 'cancelled' ? 100 : 92,
    ledger: row?.balance,
    hold:
      status === 'failed' ? 'refunding' : ['succeeded', 'cancelled'].includes(status) ? 'captured' : 'held',
    details: 1,
    refund: status === 'failed' ? 1 : 0,
  });
  expect(task.dispatch?.outcome ?? null).toBe(
    ['running', 'archiving', 'succeeded', 'failed'].includes(status) ? 'accepted' : null,
  );
});

test('a task without cost writes no ledger entry', async () => {
  const user = await createUser(t.db, { balanceCredits: 0 });
  await createTask(t.db, { userId: user.id, holdCredits: 0, status: 'succeeded' });
  const rows = await t.sql`select 1 from credit_ledger where user_id = ${user.id}`;
  expect(rows).toHaveLength(0);
});

test('close fails when a connection leaked', async () => {
  const other = await createTestDatabase();
  const leak = (await import('postgres')).default(other.url, {
    max: 1,
    connection: { application_name: 'leak' },
  });
  leak.listen('x', () => {}).catch(() => {});
  await leak`select 1`;
  await expect(other.close()).rejects.toThrow(/leaked: .*leak/);
  await leak.end({ timeout: 1 });
});
