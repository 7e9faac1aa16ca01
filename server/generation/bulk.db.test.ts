import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createChannel, createModel, createTask, createUser } from '#server/testing/factories.ts';
import { claimDueSteps, type TaskRow } from './claim-queries.ts';
import { nextTaskDueAt } from './due-queries.ts';
import { type PollSave, renewLeases, savePolls } from './lease-queries.ts';
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
    composes: 0,
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

it.each([
  ['the default plan', []],
  // A generic plan expects few items in an array: it hashes them and walks the table.
  ['a plan that walks the table', ['plan_cache_mode = force_generic_plan', 'enable_nestloop = off']],
  ['a plan that sorts both sides', ['enable_nestloop = off', 'enable_hashjoin = off']],
])(
  'bulk statements lock rows in the order of their ids, the youngest first, under %s, so no two wait for each other',
  async (_, settings) => {
    const saves = await claimRunning(200);
    const leases = saves.map(({ lease }) => ({ id: lease.taskId, token: lease.token }));
    const executorId = saves[0]?.lease.executorId ?? '';
    const ids = leases.map((lease) => lease.id);
    const first = ids.toSorted().at(-1) ?? '';
    // The order in the table is now the reverse of that of the ids.
    await t.sql`
    do $$ declare r record; begin
      for r in select id from generation_tasks where status = 'running' order by id loop
        update generation_tasks set next_poll_at = next_poll_at + interval '1 second' where id = r.id;
      end loop;
    end $$`;
    await t.sql`analyze generation_tasks`;
    const planned = t.open({ max: 1 });
    for (const setting of settings) await planned.sql.unsafe(`set ${setting}`);
    for (const statement of [
      () => renewLeases(planned.db, { executorId, leaseSeconds: 30, leases: [...leases].reverse() }),
      () => savePolls(planned.db, [...saves].reverse()),
    ]) {
      const { running, lockedWhileWaiting } = await t.sql.begin(async (holder) => {
        await holder`select 1 from generation_tasks where id = ${first} for no key update`;
        const running = statement();
        await waitsForALock();
        // Whoever waits for the first row holds none behind it.
        const free = await t.sql`
        select id from generation_tasks where id = any(${ids}) for no key update skip locked`;
        return { running: [running], lockedWhileWaiting: ids.length - 1 - free.length };
      });
      await Promise.all(running);
      expect(lockedWhileWaiting).toBe(0);
    }
  },
);

async function waitsForALock(): Promise<void> {
  for (;;) {
    const waiting = await t.sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if (waiting.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

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
