import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask } from '#server/testing/factories.ts';
import { claimLateWatches, recordLateSuccess, scheduleWatch } from './late-watch-queries.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());

const claim = () => claimLateWatches(t.db, { executorId: newId(), limit: 5 });

/** A watched dispatch, claimed twice: the first holder's lease has run out. */
async function claimedTwice() {
  const window = { nextWatchAt: new Date(0), watchUntil: new Date(Date.now() + 86_400_000) };
  const task = await createTask(t.db, { status: 'failed', dispatch: window });
  const [stale] = await claim();
  expect(await claim()).toEqual([]);
  await t.sql`update dispatches set lease_until = now() - interval '1 second' where task_id = ${task.id}`;
  const [fresh] = await claim();
  if (!stale || !fresh) throw new Error('claimed twice');
  expect(fresh.dispatch.leaseToken).toBe(stale.dispatch.leaseToken + 1);
  return { taskId: task.id, stale: stale.dispatch, fresh: fresh.dispatch };
}

it('a late success is told once, by the holder alone, and moves neither status nor money', async () => {
  const { taskId, stale, fresh } = await claimedTwice();
  const tell = async () => {
    const events =
      await t.sql`select 1 from generation_task_events where task_id = ${taskId} and type = 'late_success'`;
    return events.length;
  };
  const state = () => t.sql`
    select t.status, t.failure_code, t.finished_at, h.status as hold, a.balance_credits
    from generation_tasks t join credit_holds h on h.task_id = t.id join credit_accounts a on a.user_id = t.user_id
    where t.id = ${taskId}`;
  const FOUND = { outputs: 1, artefacts: 1 };
  const before = await state();
  await recordLateSuccess(t.db, stale, FOUND);
  expect(await tell()).toBe(0);
  await recordLateSuccess(t.db, fresh, FOUND);
  await recordLateSuccess(t.db, fresh, FOUND);
  expect(await tell()).toBe(1);
  expect(await state()).toEqual(before);
  expect(await claim()).toEqual([]);
});

it('a holder that was overtaken does not move the next look', async () => {
  const { taskId, stale, fresh } = await claimedTwice();
  await scheduleWatch(t.db, { dispatch: stale, delayMs: 0, done: true });
  const read = async () =>
    (await t.sql`select next_watch_at, lease_until from dispatches where task_id = ${taskId}`)[0];
  expect(await read()).toMatchObject({ next_watch_at: expect.anything(), lease_until: expect.anything() });
  await scheduleWatch(t.db, { dispatch: fresh, delayMs: 60_000, done: false });
  expect(await read()).toMatchObject({ lease_until: null, next_watch_at: expect.anything() });
});

it('ends with its window', async () => {
  const { taskId, fresh } = await claimedTwice();
  await t.sql`update dispatches set watch_until = now() + interval '1 minute' where task_id = ${taskId}`;
  await scheduleWatch(t.db, { dispatch: fresh, delayMs: 120_000, done: false });
  const [row] = await t.sql`select next_watch_at from dispatches where task_id = ${taskId}`;
  expect(row?.next_watch_at).toBeNull();
});
