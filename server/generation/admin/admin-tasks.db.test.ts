import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Deps } from '#server/deps.ts';
import { newId } from '#server/lib/ids.ts';
import { createChannel, createModel, createTask, createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { readAdminTaskPage } from '../read-admin-tasks.ts';
import { runTaskDeeds } from './bulk-tasks.ts';
import { explainTask } from './explain-task.ts';
import { adminTasksInput } from './schemas.ts';

let rig: Rig;
let adminId: string;
beforeAll(async () => {
  rig = await createRig();
  adminId = (await createUser(rig.db, { role: 'admin' })).id;
});
afterAll(() => rig.close());

const find = async (input: Record<string, unknown>, deps: Deps = rig.deps) =>
  readAdminTaskPage(deps, adminTasksInput.parse(input));
const idsOf = async (input: Record<string, unknown>) => (await find(input)).items.map(({ id }) => id);

describe('the list', () => {
  it('finds tasks by person, upstream id, words of the prompt, model, channel, kind and day, in any order', async () => {
    const user = await createUser(rig.db, { email: 'finder@example.com' });
    const channelId = (await createChannel(rig.db)).id;
    const model = await createModel(rig.db, { channelId, kind: 'video' });
    const common = { userId: user.id, channelId, modelId: model.id, kind: 'video' } as const;
    const running = await createTask(rig.db, {
      ...common,
      status: 'running',
      prompt: 'A 100% Lighthouse at_night',
      dispatch: { outcome: 'accepted', upstreamId: 'job-finder-7' },
    });
    const [early, late] = [
      await createTask(rig.db, { ...common, status: 'failed', prompt: 'A boat' }),
      await createTask(rig.db, { ...common, status: 'succeeded', prompt: 'A tide' }),
    ];
    await rig.t
      .sql`update generation_tasks set next_poll_at = now() + interval '1 hour' where id = ${running.id}`;
    const all = [late.id, early.id, running.id];
    expect(await idsOf({ who: 'Finder@Example.com' })).toEqual(all);
    expect(await idsOf({ who: user.id, order: 'asc' })).toEqual([...all].reverse());
    expect(await idsOf({ who: early.id })).toEqual([early.id]);
    expect(await idsOf({ upstreamId: 'job-finder-7' })).toEqual([running.id]);
    expect(await idsOf({ prompt: '100% LIGHTHOUSE at_' })).toEqual([running.id]);
    expect(await idsOf({ prompt: 'A%Lighthouse', channelId })).toEqual([]);
    expect(await idsOf({ modelId: model.id, kind: 'video', status: 'failed' })).toEqual([early.id]);
    expect(await idsOf({ channelId, sort: 'due', order: 'asc' })).toEqual([running.id]);
    expect(new Set(await idsOf({ channelId, sort: 'finished' }))).toEqual(new Set([early.id, late.id]));
    expect(await idsOf({ ids: [early.id, running.id] })).toEqual([early.id, running.id]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await idsOf({ channelId, from: today, to: today })).toHaveLength(3);
    expect(await idsOf({ channelId, to: '2020-01-01' })).toEqual([]);
  });

  it('has every task once over its pages, though they ended at the same moment', async () => {
    const user = await createUser(rig.db, { balanceCredits: 10_000 });
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      ids.push((await createTask(rig.db, { userId: user.id, status: 'cancelled', prompt: 'same' })).id);
    }
    await rig.t.sql`alter table generation_tasks disable trigger user`;
    await rig.t
      .sql`update generation_tasks set finished_at = '2026-01-05T10:00:00.123456Z' where user_id = ${user.id}`;
    await rig.t.sql`alter table generation_tasks enable trigger user`;
    for (const filter of [{}, { prompt: 'same' }]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await find({ ...filter, who: user.id, sort: 'finished', limit: 2, cursor });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      expect(seen).toEqual([...ids].sort().reverse());
    }
  });

  it('reads a page in the same number of statements, however many rows it has', async () => {
    const user = await createUser(rig.db, { balanceCredits: 10_000 });
    for (let n = 0; n < 12; n += 1) await createTask(rig.db, { userId: user.id, status: 'running' });
    const count = async (limit: number) => {
      let statements = 0;
      const db = new Proxy(rig.deps.db, {
        get(target, key, receiver) {
          if (key === 'execute' || key === 'select') statements += 1;
          return Reflect.get(target, key, receiver);
        },
      });
      const page = await find({ who: user.id, limit }, { ...rig.deps, db });
      expect(page.items).toHaveLength(limit);
      return statements;
    };
    const few = await count(2);
    expect(few).toBeGreaterThan(1);
    expect(await count(12)).toBe(few);
  });
});

describe('many tasks at once', () => {
  const run = (deed: 'cancel' | 'wake' | 'fail' | 'retry_refund', taskIds: string[]) =>
    runTaskDeeds(rig.deps, { deed, taskIds, reason: 'The provider is down.', operatorId: adminId });
  const auditOf = (taskId: string) =>
    rig.t.sql`select action, actor_id, reason from audit_log where subject_id = ${taskId}`;
  const statusOf = async (taskId: string) =>
    (await rig.t.sql`select status from generation_tasks where id = ${taskId}`)[0]?.status;

  it('are cancelled though one of them cannot be; the report names it, and each change is audited with it', async () => {
    const user = await createUser(rig.db);
    const [queued, ended, running] = [
      await createTask(rig.db, { userId: user.id }),
      await createTask(rig.db, { userId: user.id, status: 'succeeded' }),
      await createTask(rig.db, { userId: user.id, status: 'running' }),
    ];
    const unknown = newId();
    const { results } = await run('cancel', [queued.id, ended.id, unknown, running.id]);
    expect(results.map(({ id, ok }) => [id, ok])).toEqual([
      [queued.id, true],
      [ended.id, false],
      [unknown, false],
      [running.id, expect.any(Boolean)],
    ]);
    expect(results[1]?.message).toBe('This task has ended, or its result is there already.');
    expect(results[2]?.message).toBe('There is no such task.');
    expect(await statusOf(queued.id)).toBe('cancelled');
    expect(await auditOf(queued.id)).toMatchObject([
      { action: 'task.cancel', actor_id: adminId, reason: 'The provider is down.' },
    ]);
    expect(await auditOf(ended.id)).toHaveLength(0);
    const events = await rig.t
      .sql`select actor from generation_task_events where task_id = ${queued.id} order by seq`;
    expect(events.at(-1)).toMatchObject({ actor: `operator:${adminId}` });
  });

  it('are made due by a hint that breaks no lease', async () => {
    const [sleeping, leased, ended] = [
      await createTask(rig.db, { status: 'running' }),
      await createTask(rig.db, { status: 'running' }),
      await createTask(rig.db, { status: 'failed' }),
    ];
    await rig.t.sql`update generation_tasks set next_poll_at = now() + interval '1 hour'
      where id = any(${[sleeping.id, leased.id]})`;
    await rig.t
      .sql`update generation_tasks set lease_until = now() + interval '1 hour', leased_by = ${newId()},
      lease_token = 5 where id = ${leased.id}`;
    const { results } = await run('wake', [sleeping.id, leased.id, ended.id]);
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false]);
    const rows = await rig.t.sql`select next_poll_at <= now() as due, lease_token::int as token,
        lease_until > now() as leased, wake_seq::int as wakes
      from generation_tasks where id = any(${[sleeping.id, leased.id]}) order by id`;
    expect([...rows]).toEqual([
      { due: true, token: 0, leased: null, wakes: 1 },
      { due: false, token: 5, leased: true, wakes: 1 },
    ]);
    expect(await auditOf(leased.id)).toMatchObject([{ action: 'task.wake' }]);
    const events = await rig.t.sql<{ type: string; actor: string; reason: string }[]>`
      select type, actor, reason from generation_task_events
      where task_id in (${sleeping.id}, ${leased.id}, ${ended.id}) and type = 'woken'`;
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({
      actor: expect.stringMatching(/^operator:/),
      reason: expect.stringMatching(/^An administrator made it due: ./),
    });
  });

  it('that are uncertain fail with a refund, and those that are not stay as they are', async () => {
    const user = await createUser(rig.db);
    const [uncertain, running] = [
      await createTask(rig.db, { userId: user.id, status: 'uncertain' }),
      await createTask(rig.db, { userId: user.id, status: 'running' }),
    ];
    const { results } = await run('fail', [running.id, uncertain.id]);
    expect(results.map(({ ok }) => ok)).toEqual([false, true]);
    expect([await statusOf(running.id), await statusOf(uncertain.id)]).toEqual(['running', 'failed']);
    expect(await auditOf(uncertain.id)).toMatchObject([{ action: 'task.resolve' }]);
  });

  it('have a refund that waits for people tried again', async () => {
    const [failed, fine] = [
      await createTask(rig.db, { status: 'failed' }),
      await createTask(rig.db, { status: 'succeeded' }),
    ];
    await rig.t
      .sql`update credit_refunds set status = 'manual', next_attempt_at = null where task_id = ${failed.id}`;
    const { results } = await run('retry_refund', [fine.id, failed.id]);
    expect(results.map(({ ok, message }) => [ok, message])).toEqual([
      [false, 'No refund belongs to this task.'],
      [true, null],
    ]);
    const [refund] = await rig.t.sql`select id, status from credit_refunds where task_id = ${failed.id}`;
    expect(refund?.status).toBe('settled');
    expect(await auditOf(refund?.id)).toMatchObject([
      { action: 'refund.retry', reason: 'The provider is down.' },
    ]);
  });
});

it('explains by the predicates of the claim what holds a task back', async () => {
  const user = await createUser(rig.db, { inFlightLimit: 1 });
  const channelId = (await createChannel(rig.db, { maxInFlight: 9 })).id;
  const modelId = (await createModel(rig.db, { channelId })).id;
  const common = { userId: user.id, channelId, modelId };
  const queued = await createTask(rig.db, common);
  const failing = async (taskId: string) => {
    const explained = await explainTask(rig.deps, taskId);
    return explained?.checks.filter(({ holds }) => !holds).map(({ code }) => code);
  };
  expect(await explainTask(rig.deps, queued.id)).toMatchObject({ claimable: true, ends: { by: 'give_up' } });
  await createTask(rig.db, { ...common, status: 'running' });
  expect(await failing(queued.id)).toEqual(['user_room']);
  await rig.t
    .sql`update provider_channels set enabled = false, paused_until = now() + interval '1 hour' where id = ${channelId}`;
  await rig.t
    .sql`update generation_tasks set next_poll_at = now() + interval '1 hour' where id = ${queued.id}`;
  expect(await failing(queued.id)).toEqual(['due', 'channel_enabled', 'channel_takes', 'user_room']);
  const archiving = await createTask(rig.db, { ...common, status: 'archiving' });
  await rig.t.sql`update generation_tasks set lease_until = now() + interval '1 hour', leased_by = ${newId()}
    where id = ${archiving.id}`;
  expect(await failing(archiving.id)).toEqual(['unleased']);
  const ended = await createTask(rig.db, { ...common, status: 'failed' });
  expect(await explainTask(rig.deps, ended.id)).toBeNull();
  await expect(explainTask(rig.deps, newId())).rejects.toMatchObject({ code: 'not_found' });
});
