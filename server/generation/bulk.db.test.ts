import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createChannel, createModel, createTask, createUser } from '#server/testing/factories.ts';
import { claimDueSteps, renewLeases, type TaskRow } from './claim-queries.ts';
import { nextTaskDueAt } from './due-queries.ts';
import { type PollSave, savePolls } from './lease-queries.ts';
import { createPollWriter } from './poll-writer.ts';

/** Statements over many rows: exact, whatever upstream's words are, and never in each other's way. */

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase({ max: 10 });
});
afterAll(() => t.close());

async function claimRunning(count: number): Promise<PollSave[]> {
  await t.sql`update generation_tasks set next_poll_at = now() + interval '1 day' where finished_at is null`;
  const channelId = (await createChannel(t.db)).id;
  const modelId = (await createModel(t.db, { channelId })).id;
  const userId = (await createUser(t.db)).id;
  await t.sql`
    insert into generation_tasks (id, user_id, kind, status, channel_id, model_id, next_poll_at, give_up_at, deadline_at)
    select gen_random_uuid(), ${userId}, 'image', 'running', ${channelId}, ${modelId}, now(),
      now() + interval '1 day', now() + interval '1 day'
    from generate_series(1, ${count}::int)`;
  const executorId = newId();
  const rows = await claimDueSteps(t.db, {
    executorId,
    leaseSeconds: 30,
    workerId: null,
    polls: count,
    transfers: 0,
  });
  expect(rows).toHaveLength(count);
  return rows.map((row) => toSave(row, executorId));
}

const toSave = (row: TaskRow, executorId: string): PollSave => ({
  lease: { taskId: row.id, token: row.leaseToken, executorId, workerId: null, wakeSeq: row.wakeSeq },
  nextDelayMs: 1_000,
  progress: null,
  upstreamStatus: 'running',
});

it('upstream’s status words are stored as they are, also those that look like SQL or an array', async () => {
  const words = [
    `'); drop table users; --`,
    `"quoted"`,
    `back\\slash\\`,
    `{a,b}`,
    `},{`,
    'NULL',
    'null',
    '',
    'line\nbreak\ttab',
    `$1 \${x}`,
    'ünïcode 🚢',
  ];
  const saves = (await claimRunning(words.length)).map((save, index) => ({
    ...save,
    upstreamStatus: words[index] ?? '',
  }));
  expect((await savePolls(t.db, saves)).size).toBe(words.length);
  const rows = await t.sql<{ id: string; upstream_status: string }[]>`
    select id, upstream_status from generation_tasks where id = any(${saves.map((save) => save.lease.taskId)})`;
  const stored = new Map(rows.map((row) => [row.id, row.upstream_status]));
  expect(saves.map((save) => stored.get(save.lease.taskId))).toEqual(words);
});

it('a result that cannot be written fails alone', async () => {
  const [good, bad, alsoGood] = await claimRunning(3);
  if (!good || !bad || !alsoGood) throw new Error('three rows were claimed');
  const writer = createPollWriter(t.db);
  const results = await Promise.allSettled([
    writer.save(good),
    writer.save({ ...bad, progress: 1_000 }),
    writer.save(alsoGood),
  ]);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('renewals and results of the same rows do not deadlock', async () => {
  const saves = await claimRunning(150);
  const leases = saves.map(({ lease }) => ({ id: lease.taskId, token: lease.token }));
  const executorId = saves[0]?.lease.executorId ?? '';
  const relock = () => t.sql`
    update generation_tasks set leased_by = ${executorId}, lease_until = now() + interval '30 seconds'
    where id = any(${leases.map((lease) => lease.id)})`;
  for (let round = 0; round < 12; round += 1) {
    await Promise.all([
      savePolls(t.db, saves),
      renewLeases(t.db, { executorId, leaseSeconds: 30, leases: [...leases].reverse() }),
      renewLeases(t.db, { executorId, leaseSeconds: 30, leases }),
    ]);
    await relock();
  }
});

it('the earliest due moment is found behind many rows that a paused channel holds back', async () => {
  await t.sql`update generation_tasks set next_poll_at = now() + interval '1 day' where finished_at is null`;
  const paused = await createChannel(t.db, { pausedUntil: new Date(Date.now() + 3_600_000) });
  const modelId = (await createModel(t.db, { channelId: paused.id })).id;
  const userId = (await createUser(t.db)).id;
  await t.sql`
    insert into generation_tasks (id, user_id, kind, status, channel_id, model_id, next_poll_at, give_up_at, deadline_at)
    select gen_random_uuid(), ${userId}, 'image', 'running', ${paused.id}, ${modelId}, now() - interval '1 minute',
      now() + interval '1 day', now() + interval '1 day'
    from generate_series(1, 250)`;
  const due = await createTask(t.db, { status: 'running', nextPollAt: new Date(Date.now() + 20_000) });
  expect((await nextTaskDueAt(t.db))?.getTime()).toBe(due.nextPollAt?.getTime());
});
