import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { modelCandidates } from '#server/db/schema/index.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createStubRig, type StubChannel, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import type { Reply } from '#server/testing/stub-upstream.ts';
import { cancelTask } from './cancel-task.ts';
import { wakeTask } from './lease-queries.ts';
import { recoverTask } from './resolve-task.ts';

/** Cases B36 to B46: refunds, late outcomes, cancels, parts of an order. */

let rig: StubRig;
beforeAll(async () => {
  rig = await createStubRig();
});
afterAll(() => rig.close());
afterEach(() => setCrashHandler(undefined));

const MANY = {
  parameters: { n: { type: 'integer' as const, label: 'Images', minimum: 1, maximum: 4, default: 1 } },
  price: { unit: 'output' as const, credits: 3 },
};

/** A running Replicate image whose next polls the test gives. */
async function running(): Promise<{ stub: StubChannel; taskId: string; before: object }> {
  const before = await rig.balance();
  const stub = await rig.openChannel('replicateImage');
  stub.create = [taken()];
  stub.poll = [said('processing')];
  const taskId = await rig.submitTo(stub);
  await rig.until(taskId, (view) => view.status === 'running');
  return { stub, taskId, before };
}

const cancel = (taskId: string) => cancelTask(rig.deps, { userId: rig.user.id, taskId });

/** Looks at what is watched until this holds. */
const watchUntil = (taskId: string, holds: () => Promise<boolean>) =>
  rig.eventually(async () => {
    await rig.t.sql`
      update dispatches set next_watch_at = now(), lease_until = null, leased_by = null
      where task_id = ${taskId} and next_watch_at is not null and lease_until is null`;
    await rig.knock();
    return holds();
  });

const lateEvents = async (taskId: string) =>
  (await rig.view(taskId)).events.filter((event) => event.type === 'late_success').length;

describe('B36 many see the same failure', () => {
  it('B36 and it is refunded once: two workers, kicks, hints, and the refund lane five times at once', async () => {
    const { stub, taskId, before } = await running();
    const other = rig.anotherProcess();
    stub.poll = [said('failed', { error: 'It broke.' })];
    await rig.hurry(taskId);
    await Promise.all([
      rig.knock(),
      rig.knock(other.executor),
      wakeTask(rig.db, taskId),
      Promise.resolve(rig.executor.kick([taskId])),
      Promise.resolve(other.executor.pushUser(rig.user.id)),
    ]);
    await rig.finish(taskId);
    await rig.t.sql`
      update credit_refunds set next_attempt_at = now() where task_id = ${taskId} and status = 'pending'`;
    await Promise.all(
      Array.from({ length: 5 }, () =>
        runRefundBatch(rig.deps, { limit: 10, workerId: null, taskIds: [taskId] }),
      ),
    );
    expect(await rig.refundRows(taskId)).toBe(1);
    expect(await rig.view(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
    expect(await rig.balance()).toEqual(before);
    await expect(
      rig.t.sql`
        insert into credit_ledger (id, user_id, kind, delta_credits, balance_after_credits, key, task_id, actor, reason)
        select gen_random_uuid(), user_id, kind, delta_credits, balance_after_credits, key, task_id, actor, reason
        from credit_ledger where task_id = ${taskId} and kind = 'refund'`,
    ).rejects.toMatchObject({ code: '23505' });
  });
});

describe('B37 a refund that does not come through', () => {
  it('B37 a failure is never committed without its refund', async () => {
    const { stub, taskId, before } = await running();
    await rig.t.sql.unsafe(`
      create sequence b37_once;
      create function b37_fail() returns trigger language plpgsql as $$
      begin
        if nextval('b37_once') <= 2 then raise exception 'the disk is full'; end if;
        return new;
      end $$;
      create trigger b37 before insert on credit_refunds for each row execute function b37_fail();`);
    try {
      stub.poll = [said('failed')];
      const polls = stub.count('poll');
      await rig.until(taskId, () => stub.count('poll') > polls);
      expect(
        await rig.t.sql`
          select 1 from generation_tasks t join credit_holds h on h.task_id = t.id
          where t.status = 'failed' and h.status = 'held'`,
      ).toHaveLength(0);
      expect(await rig.finish(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
      expect(await rig.refundRows(taskId)).toBe(1);
      expect(await rig.balance()).toEqual(before);
    } finally {
      await rig.t.sql.unsafe(
        'drop trigger b37 on credit_refunds; drop function b37_fail; drop sequence b37_once;',
      );
    }
  });

  it.each(['fail.after-commit', 'refund.after-claim', 'refund.before-commit'] as const)(
    'B37 a stop at %s leaves a pending refund, which the lane completes',
    async (point) => {
      const { stub, taskId, before } = await running();
      let stops = 0;
      setCrashHandler((name) => {
        if (name !== point || stops > 0) return;
        stops += 1;
        throw new Error('killed');
      });
      stub.poll = [said('failed')];
      await rig.until(taskId, (view) => view.status === 'failed');
      await rig.eventually(() => stops === 1);
      setCrashHandler(undefined);
      await rig.eventually(async () => {
        await rig.t.sql`
          update credit_refunds set next_attempt_at = now(), lease_until = null, leased_by = null
          where task_id = ${taskId} and status = 'pending'`;
        await runRefundBatch(rig.deps, { limit: 10, workerId: null, taskIds: [taskId] });
        return (await rig.view(taskId)).money.state === 'refunded';
      });
      expect(await rig.refundRows(taskId)).toBe(1);
      expect(await rig.balance()).toEqual(before);
    },
  );
});

it('B38 a success after our deadline refunded it is delivered, once, and the refund is kept', async () => {
  const { stub, taskId, before } = await running();
  await rig.t.sql`update generation_tasks set deadline_at = now() - interval '1 second' where id = ${taskId}`;
  await rig.until(taskId, (view) => view.status === 'uncertain');
  await rig.ageUncertain(taskId);
  expect(await rig.finish(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });

  stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
  await watchUntil(taskId, async () => (await lateEvents(taskId)) === 1);
  await rig.knocks(taskId, 3);
  expect(await rig.view(taskId)).toMatchObject({
    status: 'failed',
    money: { state: 'refunded', chargedCredits: 0 },
    outputs: [{ late: true, kind: 'image' }],
  });
  expect(await lateEvents(taskId)).toBe(1);
  expect(await rig.balance()).toEqual(before);
  expect(stub.count('create')).toBe(1);
});

it('B40 a result that could not be fetched is recovered beside its refund, and pressing twice changes nothing', async () => {
  const { stub, taskId, before } = await running();
  stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
  stub.file = [{ status: 500 }];
  expect(await rig.finish(taskId)).toMatchObject({
    status: 'failed',
    failure: { code: 'artifact_expired' },
    money: { state: 'refunded' },
  });
  expect(await rig.balance()).toEqual(before);

  stub.file = [rig.fileOf('image')];
  const press = () => recoverTask(rig.deps, { taskId, reason: 'the file is there', operatorId: rig.user.id });
  await Promise.all([press(), press()]);
  await watchUntil(taskId, async () => (await rig.view(taskId)).outputs.length > 0);
  await rig.eventually(async () => (await lateEvents(taskId)) === 1);
  await expect(press()).rejects.toMatchObject({ code: 'conflict' });
  await rig.knocks(taskId, 3);
  expect(await rig.view(taskId)).toMatchObject({
    status: 'failed',
    money: { state: 'refunded', chargedCredits: 0 },
    outputs: [{ late: true }],
  });
  expect(await lateEvents(taskId)).toBe(1);
  expect(await rig.refundRows(taskId)).toBe(1);
  expect(await rig.balance()).toEqual(before);
  expect(stub.count('create')).toBe(1);
  const audited = await rig.t.sql`select reason from audit_log where subject_id = ${taskId}`;
  expect(audited.map((row) => row.reason)).toEqual(['the file is there', 'the file is there']);
});

it('B40 what upstream refused has nothing to recover', async () => {
  const stub = await rig.openChannel('replicateImage');
  stub.create = [{ status: 422, json: { title: 'Input validation failed', detail: 'prompt' } }];
  const taskId = await rig.submitTo(stub);
  await rig.finish(taskId);
  await expect(
    recoverTask(rig.deps, { taskId, reason: 'perhaps', operatorId: rig.user.id }),
  ).rejects.toMatchObject({ code: 'conflict' });
});

it('B40 nothing is recovered for an account that is closed', async () => {
  const { stub, taskId } = await running();
  stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
  stub.file = [{ status: 500 }];
  await rig.finish(taskId);
  const { user } = rig;
  const watches = () =>
    rig.t.sql`select next_watch_at, watch_until from dispatches where task_id = ${taskId} order by id`;
  const before = await watches();
  await rig.t.sql`update users set disabled_at = now(), deleted_at = now() where id = ${user.id}`;
  try {
    await expect(
      recoverTask(rig.deps, { taskId, reason: 'asked by mail', operatorId: user.id }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/account .* is closed/) });
  } finally {
    await rig.t.sql`update users set disabled_at = null, deleted_at = null where id = ${user.id}`;
  }
  expect(await watches()).toEqual(before);
  expect((await rig.view(taskId)).events.map((event) => event.type)).not.toContain('recover_requested');
});

describe('B42 a cancel and a success at the same time', () => {
  it('B42 the cancel first: upstream’s success decides', async () => {
    const { stub, taskId } = await running();
    stub.cancel = [said('processing')];
    expect(await cancel(taskId)).toBe('requested');
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    const task = await rig.finish(taskId);
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(task.outputs).toHaveLength(1);
    expect(await rig.refundRows(taskId)).toBe(0);
    expect(stub.count('cancel')).toBe(1);
  });

  it('B42 the cancel first: upstream’s cancellation decides', async () => {
    const { stub, taskId, before } = await running();
    stub.cancel = [said('canceled')];
    expect(await cancel(taskId)).toBe('requested');
    stub.poll = [said('canceled')];
    expect(await rig.finish(taskId)).toMatchObject({
      status: 'cancelled',
      outputs: [],
      money: { state: 'refunded' },
    });
    expect(await rig.balance()).toEqual(before);
  });

  it('B42 the success first: the cancel is too late', async () => {
    const { stub, taskId } = await running();
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    stub.file = ['hold'];
    await rig.until(taskId, () => stub.count('file') === 1);
    await cancel(taskId);
    stub.file = [rig.fileOf('image')];
    stub.answerHeld(rig.fileOf('image'));
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(await cancel(taskId)).toBe('finished');
    expect(await rig.refundRows(taskId)).toBe(0);
  });

  it('B42 the cancel comes while the poll that brings the success is on its way', async () => {
    const { stub, taskId } = await running();
    const polls = stub.count('poll');
    stub.poll = ['hold'];
    await rig.until(taskId, () => stub.count('poll') > polls);
    expect(await cancel(taskId)).toBe('requested');
    stub.answerHeld(said('succeeded', { output: [stub.fileUrl()] }));
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(await rig.refundRows(taskId)).toBe(0);
  });

  it.each<[string, Reply]>([
    ['400', { status: 400, json: { detail: 'ALREADY_COMPLETED' } }],
    ['404', { status: 404, json: { detail: 'Not found.' } }],
    ['500', { status: 500 }],
  ])('B42 a cancel that upstream answers with %s ends nothing', async (_name, reply) => {
    const { stub, taskId } = await running();
    stub.cancel = [reply];
    await cancel(taskId);
    await rig.until(taskId, () => stub.count('cancel') > 0);
    expect(await rig.view(taskId)).toMatchObject({ status: 'running', money: { state: 'held' } });
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
  });
});

describe('B43 a cancel that nobody hears', () => {
  it('B43 where the vendor has none it says so, refunds nothing, and the result is charged', async () => {
    const stub = await rig.openChannel('klingVideo');
    const job = (task_status: string, more: object = {}): Reply => ({
      json: { code: 0, message: 'SUCCEED', data: { task_id: '8310000', task_status, ...more } },
    });
    stub.create = [job('submitted')];
    stub.poll = [job('processing')];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, (view) => view.status === 'running');
    expect((await rig.view(taskId)).cancel).toBe('unsupported');
    expect(await cancel(taskId)).toBe('unsupported');
    await rig.knocks(taskId, 3);
    expect(await rig.view(taskId)).toMatchObject({
      status: 'running',
      cancelRequested: false,
      money: { state: 'held' },
    });
    const videos = [{ id: 'v', url: stub.fileUrl(), duration: '5' }];
    stub.poll = [job('succeed', { task_result: { videos } })];
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(stub.count('cancel')).toBe(0);
  });

  it('B43 what was not sent ends at once and free, there too', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('klingVideo');
    const taskId = await rig.submitTo(stub);
    expect(await cancel(taskId)).toBe('cancelled');
    await rig.knocks(taskId, 2);
    expect(await rig.view(taskId)).toMatchObject({ status: 'cancelled', money: { state: 'refunded' } });
    expect(stub.count('create')).toBe(0);
    expect(await rig.balance()).toEqual(before);
  });
});

describe('B45 more or less than was ordered', () => {
  it.each<[string, (url: (name: string) => string) => unknown[], { stored: number; charged: number }]>([
    ['three of four', (url) => [url('a'), url('b'), url('c')], { stored: 3, charged: 9 }],
    ['four, one of them null', (url) => [url('a'), null, url('c'), url('d')], { stored: 3, charged: 9 }],
    ['four, one of them empty', (url) => [url('a'), '', url('c'), url('d')], { stored: 3, charged: 9 }],
    ['one of four', (url) => [url('a')], { stored: 1, charged: 3 }],
    ['all four', (url) => ['a', 'b', 'c', 'd'].map(url), { stored: 4, charged: 12 }],
    ['five of four', (url) => ['a', 'b', 'c', 'd', 'e'].map(url), { stored: 5, charged: 12 }],
  ])('B45 %s: all that came is kept, and no more charged than was ordered', async (_name, output, end) => {
    const before = await rig.balance();
    const stub = await rig.openChannel('replicateImage', MANY);
    stub.create = [taken()];
    stub.poll = [said('succeeded', { output: output((name) => stub.fileUrl(name)) })];
    const taskId = await rig.submitTo(stub, { params: { n: 4 } });
    const task = await rig.finish(taskId);
    expect(task).toMatchObject({
      status: 'succeeded',
      money: { heldCredits: 12, chargedCredits: end.charged, returnedCredits: 12 - end.charged },
    });
    expect(task.outputs).toHaveLength(end.stored);
    expect(new Set(stub.seen.filter((one) => one.call === 'file').map((one) => one.target)).size).toBe(
      end.stored,
    );
    expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - end.charged);
    expect(stub.count('create')).toBe(1);
  });

  it('B45 one file that is no image is not charged, the others are', async () => {
    const stub = await rig.openChannel('replicateImage', MANY);
    stub.create = [taken()];
    stub.poll = [said('succeeded', { output: ['a', 'b', 'c', 'd'].map((name) => stub.fileUrl(name)) })];
    stub.file = [rig.fileOf('image'), { text: '{"error":"expired"}' }, rig.fileOf('image')];
    const task = await rig.finish(await rig.submitTo(stub, { params: { n: 4 } }));
    expect(task).toMatchObject({ status: 'succeeded', money: { chargedCredits: 9, returnedCredits: 3 } });
    expect(task.outputs).toHaveLength(3);
  });
});

it('B46 a job that fails is not made anew by a dearer account without being asked', async () => {
  const before = await rig.balance();
  const stub = await rig.openChannel('replicateImage');
  const dearer = await rig.openChannel('openaiImage', { price: { unit: 'call', credits: 50 } });
  await rig.db.insert(modelCandidates).values({
    modelId: stub.modelId,
    channelId: dearer.channelId,
    upstreamModel: 'gpt-image-1',
    endpoint: 'images',
    priority: 1,
  });
  stub.create = [taken()];
  stub.poll = [said('failed', { error: 'It broke.' })];
  const taskId = await rig.submitTo(stub);
  expect(await rig.finish(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
  await rig.knocks(taskId, 3);
  expect(dearer.seen).toEqual([]);
  expect(await rig.balance()).toEqual(before);
});

it('the books are right after all of it', async () => {
  expect(await rig.audit()).toEqual([]);
});
