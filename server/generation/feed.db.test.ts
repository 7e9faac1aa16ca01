import { drizzle } from 'drizzle-orm/postgres-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as schema from '#server/db/schema/index.ts';
import type { Deps } from '#server/deps.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createModel, createTask, createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { cancelAllTasks } from './cancel-all-tasks.ts';
import { readTask, readTaskPage } from './read-tasks.ts';
import type { Status } from './status.ts';

let rig: Rig;

beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

/** The same dependencies with every statement noted. */
function counting(): { deps: Deps; statements: string[] } {
  const statements: string[] = [];
  const logger = { logQuery: (statement: string) => statements.push(statement) };
  return { deps: { ...rig.deps, db: drizzle(rig.t.sql, { schema, logger }) }, statements };
}

const LIST: readonly Status[] = [
  'queued',
  'running',
  'uncertain',
  'archiving',
  'succeeded',
  'failed',
  'waiting',
];

it('lists tasks in the same number of statements, however many there are', async () => {
  const user = await createUser(rig.db, { balanceCredits: 1_000 });
  const model = await createModel(rig.db, { kind: 'text' });
  const add = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const status = LIST[index % LIST.length] ?? 'queued';
      await createTask(rig.db, { userId: user.id, modelId: model.id, status });
    }
  };
  const countFor = async (limit: number) => {
    const { deps, statements } = counting();
    // Kept for a minute by the process, whoever asks: not of this list.
    await readTaskPage(deps, { userId: user.id, limit });
    statements.length = 0;
    const { items } = await readTaskPage(deps, { userId: user.id, limit });
    expect(items).toHaveLength(limit);
    return statements.length;
  };
  await add(20);
  const of20 = await countFor(20);
  await add(80);
  expect(await countFor(100)).toBe(of20);
  expect(of20).toBeLessThanOrEqual(6);
});

it('tells places in line as the claim serves them: users in turn, each in its own order', async () => {
  const model = await createModel(rig.db);
  const [one, other] = [await createUser(rig.db), await createUser(rig.db)];
  const queue = (userId: string) => createTask(rig.db, { userId, modelId: model.id, status: 'queued' });
  const mine = [await queue(one.id), await queue(one.id), await queue(one.id)];
  const theirs = await queue(other.id);
  const placesOf = async (userId: string) => {
    const { items } = await readTaskPage(rig.deps, { userId, limit: 20 });
    return new Map(items.map((item) => [item.id, item.queuePosition]));
  };
  const places = await placesOf(one.id);
  expect(mine.map(({ id }) => places.get(id))).toEqual([1, 3, 4]);
  expect((await placesOf(other.id)).get(theirs.id)).toBe(2);

  // Far behind, a place says nothing: one statement looks at a thousand rows at most.
  await rig.t.sql`alter table generation_tasks disable trigger user`;
  await rig.t.sql`
    insert into generation_tasks (id, user_id, kind, channel_id, model_id, next_poll_at, give_up_at)
    select gen_random_uuid(), user_id, kind, channel_id, model_id, next_poll_at, give_up_at
    from generation_tasks, generate_series(1, 1000) where id = ${theirs.id}`;
  const far = [...(await placesOf(one.id)).values()];
  await rig.t.sql`
    delete from generation_tasks where id not in (select task_id from generation_task_details)`;
  await rig.t.sql`alter table generation_tasks enable trigger user`;
  expect(far).toEqual([null, null, null]);
});

it('says by code what it says in English, and how long such tasks take', async () => {
  const { deps } = counting();
  const first = await rig.runToEnd(await rig.submit('image', { params: { n: 1 } }));
  expect(first).toMatchObject({ expectedSeconds: null, queuePosition: null, waitingReason: null });
  expect(first.events.map(({ said }) => said?.code)).toEqual(
    expect.arrayContaining(['submitted', 'dispatching', 'succeeded']),
  );

  const failed = await rig.runToEnd(await rig.submit('video', { prompt: 'a ship [[fail]]' }));
  expect(failed.failure?.reason).toMatchObject({ code: 'upstream_failed' });
  expect(failed.events.at(-1)?.said ?? failed.events.at(-2)?.said).toMatchObject({ code: 'failed' });

  const again = await rig.submit('image', { params: { n: 1 } });
  const view = await readTask(deps, { userId: rig.user.id, taskId: again });
  expect(view.expectedSeconds).toBeGreaterThanOrEqual(0);
  expect(view.waitingReason?.code).toBeDefined();
  await rig.runToEnd(again);
});

it('cancels everything under way, each as a single cancel would, and nothing of others', async () => {
  const user = await createUser(rig.db);
  const stranger = await createUser(rig.db);
  const modelId = rig.models.image.id;
  const make = (userId: string, status: Status, parentId?: string) =>
    createTask(rig.db, { userId, modelId: status === 'waiting' ? undefined : modelId, status, parentId });
  const queued = [await make(user.id, 'queued'), await make(user.id, 'queued')];
  const running = await make(user.id, 'running');
  const done = await make(user.id, 'succeeded');
  const foreign = await make(stranger.id, 'queued');

  const answers = await cancelAllTasks(rig.deps, { userId: user.id });
  const { taskIds, ...counts } = answers;
  expect(counts.cancelled).toBe(2);
  expect(counts.requested + counts.unsupported).toBe(1);
  expect(counts).toMatchObject({ finished: 0, hasMore: false });
  expect(new Set(taskIds)).toEqual(new Set([...queued, running].map(({ id }) => id)));

  const statusOf = async (userId: string) =>
    Object.fromEntries(
      (await readTaskPage(rig.deps, { userId, limit: 20 })).items.map((item) => [item.id, item]),
    );
  const mine = await statusOf(user.id);
  for (const { id } of queued) expect(mine[id]).toMatchObject({ status: 'cancelled' });
  expect(mine[done.id]).toMatchObject({ status: 'succeeded' });
  expect((await statusOf(stranger.id))[foreign.id]).toMatchObject({ status: 'queued' });

  // What was asked for before is not asked for again.
  expect((await cancelAllTasks(rig.deps, { userId: user.id })).cancelled).toBe(0);
  expect(await rig.audit()).toEqual([]);
});

it('cancels all others when one fails on our side, says that something is left, and ends that the next time', async () => {
  const user = await createUser(rig.db);
  for (let n = 0; n < 3; n += 1) await createTask(rig.db, { userId: user.id, modelId: rig.models.image.id });
  let faults = 0;
  setCrashHandler((name) => {
    if (name !== 'cancel.after-status' || faults > 0) return;
    faults += 1;
    throw new Error('broken on purpose');
  });
  try {
    expect(await cancelAllTasks(rig.deps, { userId: user.id })).toMatchObject({
      cancelled: 2,
      hasMore: true,
    });
  } finally {
    setCrashHandler(undefined);
  }
  expect(await cancelAllTasks(rig.deps, { userId: user.id })).toMatchObject({ cancelled: 1, hasMore: false });
  expect(await rig.audit()).toEqual([]);
});
