import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentRig, createAgentRig } from '#server/generation/agent/testing/agent-rig.ts';
import { cancelTask } from '#server/generation/cancel-task.ts';
import { stopComposite } from '#server/generation/composite/control-composite.ts';
import { resolveTask } from '#server/generation/resolve-task.ts';
import { runLateWatchBatch } from '#server/generation/run-late-watch-batch.ts';
import { newId } from '#server/lib/ids.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createUser } from '#server/testing/factories.ts';
import { createEndpoint } from './manage-endpoints.ts';
import { WEBHOOK_EVENTS } from './schemas.ts';

/** Whatever way a task ends: its owner is told once, in the transaction of the end; of a composite's children never. */

let rig: AgentRig;
beforeAll(async () => {
  rig = await createAgentRig({ eventHosts: ['127.0.0.1:9'] });
  const endpoint = { userId: rig.user.id, url: 'http://127.0.0.1:9/hook', description: '' };
  await createEndpoint(rig.deps, { ...endpoint, events: [...WEBHOOK_EVENTS] });
  await createEndpoint(rig.deps, { ...endpoint, events: ['task.failed'] });
});
afterAll(() => rig.close());

type Told = { type: string; data: Record<string, unknown>; deliveries: number; bodies: unknown[] };

async function toldOf(taskId: string): Promise<Told[]> {
  return rig.t.sql<Told[]>`
    select n.type, n.data, count(d.id)::int as deliveries,
      coalesce(jsonb_agg(d.body order by d.id) filter (where d.id is not null), '[]') as bodies
    from notifications n left join webhook_deliveries d on d.notification_id = n.id
    where n.task_id = ${taskId} and n.user_id = ${rig.user.id} group by n.id order by n.id`;
}
const typesOf = async (taskId: string) => (await toldOf(taskId)).map(({ type }) => type);

async function uncertainTask(directive = '[[drop_after_accept]]'): Promise<string> {
  const taskId = await rig.submit('video', { prompt: `a mast ${directive}` });
  await rig.runUntil(taskId, (view) => view.status === 'uncertain');
  return taskId;
}

it('a success tells what it cost, and never the prompt', async () => {
  const taskId = await rig.submit('image', { prompt: 'a secret garden', params: { n: 2 } });
  await rig.runToEnd(taskId);
  const [told, ...more] = await toldOf(taskId);
  expect(more).toEqual([]);
  expect(told).toMatchObject({
    type: 'task.succeeded',
    data: { kind: 'image', status: 'succeeded', credits: 6, failureCode: null, modelTitle: 'Test model' },
    deliveries: 1,
  });
  expect(told?.bodies[0]).toEqual({
    type: 'task.succeeded',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    data: {
      taskId,
      kind: 'image',
      status: 'succeeded',
      model: rig.models.image.slug,
      creditsCharged: 6,
      failureCode: null,
      url: `/workbench/tasks/${taskId}`,
    },
  });
  expect(JSON.stringify(told)).not.toContain('secret garden');
});

it.each([
  ['upstream failed', 'video', '[[fail]]', 'upstream_failed'],
  ['moderated in the run', 'video', '[[moderate]]', 'moderated'],
  ['refused at create', 'image', '[[reject]]', 'rejected'],
] as const)('a failure: %s', async (_name, kind, directive, code) => {
  const taskId = await rig.submit(kind, { prompt: `a pier ${directive}` });
  await rig.runToEnd(taskId);
  expect(await toldOf(taskId)).toMatchObject([
    { type: 'task.failed', data: { failureCode: code, credits: 0 }, deliveries: 2 },
  ]);
});

it('a cancel before it was sent, and one that upstream fulfils', async () => {
  const queued = await rig.submit('video');
  await cancelTask(rig.deps, { userId: rig.user.id, taskId: queued });
  expect(await typesOf(queued)).toEqual(['task.cancelled']);

  const sent = await rig.submit('text', { prompt: 'a quay [[delay:60000]]' });
  await rig.runUntil(sent, (view) => view.status === 'running');
  await cancelTask(rig.deps, { userId: rig.user.id, taskId: sent });
  await rig.runToEnd(sent);
  expect(await toldOf(sent)).toMatchObject([{ type: 'task.cancelled', data: { credits: 0 } }]);
});

it('uncertain, then the end by the policy; and by an operator', async () => {
  const byPolicy = await uncertainTask();
  expect(await toldOf(byPolicy)).toMatchObject([{ type: 'task.uncertain', data: { credits: null } }]);
  await rig.t
    .sql`update generation_tasks set uncertain_until = now() - interval '1 second', next_poll_at = now()
    where id = ${byPolicy}`;
  await rig.runToEnd(byPolicy);
  expect(await typesOf(byPolicy)).toEqual(['task.uncertain', 'task.failed']);

  const byOperator = await uncertainTask();
  await resolveTask(rig.deps, {
    taskId: byOperator,
    verdict: 'failed',
    reason: 'seen in the dashboard',
    operatorId: rig.user.id,
  });
  expect(await typesOf(byOperator)).toEqual(['task.uncertain', 'task.failed']);
});

it('a late success', async () => {
  const taskId = await rig.submit('video', { prompt: 'a buoy [[stuck:99]]' });
  await rig.runUntil(taskId, (view) => view.progress === 99);
  await rig.t.sql`update generation_tasks set deadline_at = now() - interval '1 second' where id = ${taskId}`;
  await rig.t
    .sql`update generation_tasks set next_poll_at = now() where id = ${taskId} and lease_until is null`;
  await rig.runUntil(taskId, (view) => view.status === 'uncertain');
  await rig.t
    .sql`update generation_tasks set uncertain_until = now() - interval '1 second', next_poll_at = now()
    where id = ${taskId} and status = 'uncertain'`;
  await rig.runToEnd(taskId);
  const [create] = await rig.creates(taskId);
  await rig.sandbox.control.release({ clientRef: create?.dispatchId ?? '' });
  await expect
    .poll(
      async () => {
        await rig.t.sql`update dispatches set next_watch_at = now()
          where task_id = ${taskId} and next_watch_at is not null`;
        await runLateWatchBatch(rig.deps, { executorId: newId(), limit: 5 });
        return typesOf(taskId);
      },
      { timeout: 60_000, interval: 50 },
    )
    .toEqual(['task.uncertain', 'task.failed', 'task.late_success']);
});

it('a composite that waits for its owner and then ends, and none of its children', async () => {
  const taskId = await rig.start('A fox [[agent:many=3]]', { approval: 'paid' });
  await rig.untilAwaiting(taskId);
  expect(await toldOf(taskId)).toMatchObject([
    { type: 'task.needs_you', deliveries: 1, bodies: [{ data: { url: `/workbench/agents/${taskId}` } }] },
  ]);
  // A second look at the same question is no news.
  await rig.t.sql`update generation_tasks set next_poll_at = now() where id = ${taskId}`;
  await rig.knock();
  await rig.decide(taskId, { stepKey: 'call:1:1', decision: 'approve' });
  for (const stepKey of ['call:1:2', 'call:1:3']) {
    await rig.decide(taskId, { stepKey, decision: 'reject', reason: 'Too much fox.' });
  }
  await rig.runToEnd(taskId);
  expect(await toldOf(taskId)).toMatchObject([
    { type: 'task.needs_you' },
    // Two turns and one picture.
    { type: 'task.succeeded', data: { credits: 5 } },
  ]);
  const children = await rig.children(taskId);
  expect(children.length).toBeGreaterThan(1);
  for (const child of children) expect(await typesOf(child.id)).toEqual([]);

  const stopped = await rig.start('A fox [[agent:many=3]]', { approval: 'paid' });
  await rig.untilAwaiting(stopped);
  await stopComposite(rig.deps, { userId: rig.user.id, taskId: stopped });
  await rig.runToEnd(stopped);
  expect((await typesOf(stopped)).length).toBe(2);
});

it('what is rolled back has told nobody', async () => {
  const taskId = await rig.submit('image');
  let times = 0;
  setCrashHandler((name) => {
    if (name !== 'settle.before-commit' || times > 0) return;
    times += 1;
    throw new Error('broken on purpose');
  });
  try {
    await rig.runToEnd(taskId);
  } finally {
    setCrashHandler(undefined);
  }
  expect(times).toBe(1);
  expect(await typesOf(taskId)).toEqual(['task.succeeded']);
});

it('a disabled account is told in its pages and by no webhook', async () => {
  const user = await createUser(rig.db);
  const url = 'http://127.0.0.1:9/hook';
  await createEndpoint(rig.deps, { userId: user.id, url, description: '', events: ['task.cancelled'] });
  const taskId = await rig.submit('image', { userId: user.id });
  await rig.t.sql`update users set disabled_at = now() where id = ${user.id}`;
  await cancelTask(rig.deps, { userId: user.id, taskId });
  expect(
    await rig.t
      .sql`select n.type, (select count(*)::int from webhook_deliveries d where d.user_id = n.user_id) as sent
      from notifications n where n.user_id = ${user.id}`,
  ).toEqual([{ type: 'task.cancelled', sent: 0 }]);
});

it('every task of the owner that has ended was told of exactly once', async () => {
  const rows = await rig.t.sql`
    select t.id, t.kind, t.status, count(n.id)::int as told
    from generation_tasks t left join notifications n on n.task_id = t.id
      and n.type in ('task.succeeded', 'task.failed', 'task.cancelled')
    where t.finished_at is not null group by t.id
    having count(n.id) <> case when t.parent_id is null then 1 else 0 end`;
  expect(rows).toEqual([]);
});
