import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { createStubRig, type StubChannel, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import type { Reply } from '#server/testing/stub-upstream.ts';

/** Cases B01 to B14: a create is never sent twice and its job never lost. */

let rig: StubRig;
beforeAll(async () => {
  rig = await createStubRig();
});
afterAll(() => rig.close());
afterEach(() => setCrashHandler(undefined));

const dispatchOf = async (taskId: string) =>
  (
    await rig.t
      .sql`select id, outcome, upstream_id from dispatches where task_id = ${taskId} order by number desc`
  )[0];

/** It stays unknown however often it is looked at, and the policy's end gives the credits back. */
async function staysUnknown(stub: StubChannel, taskId: string, before: object): Promise<void> {
  await rig.until(taskId, (view) => view.status === 'uncertain');
  await rig.knocks(taskId);
  expect(await rig.view(taskId)).toMatchObject({ status: 'uncertain', money: { state: 'held' } });
  expect(stub.count('create')).toBe(1);
  expect(await rig.refundRows(taskId)).toBe(0);
  await rig.ageUncertain(taskId);
  expect(await rig.finish(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
  expect(await rig.balance()).toEqual(before);
  expect(stub.count('create')).toBe(1);
}

describe('B01 a create that is never answered', () => {
  it('B01 is sent once while the socket is held, and after it broke', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('openaiVideo');
    stub.create = ['hold'];
    const taskId = await rig.submitTo(stub);
    await rig.knock();
    await rig.eventually(() => stub.count('create') === 1);
    await rig.knocks(taskId);
    expect(stub.count('create')).toBe(1);
    stub.answerHeld('reset');
    await staysUnknown(stub, taskId, before);
  });

  it('B01 is unknown also when our own time-out ends it', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('openaiVideo');
    stub.create = ['hold'];
    const taskId = await rig.submitTo(stub);
    await rig.t.sql`
      update generation_task_details set snapshot = jsonb_set(snapshot, '{createTimeoutSeconds}', '1')
      where task_id = ${taskId}`;
    await staysUnknown(stub, taskId, before);
  });
});

describe('B02 an error after the job was taken', () => {
  it.each<[string, Reply]>([
    ['502', { status: 502, text: '<html>Bad gateway</html>' }],
    ['504', { status: 504, text: '<html>Gateway time-out</html>' }],
    ['524', { status: 524, text: '<html>A timeout occurred</html>' }],
    ['408', { status: 408, json: { error: { message: 'Request timeout' } } }],
    ['do_request_failed', { status: 500, json: { code: 'do_request_failed', message: 'x', data: null } }],
  ])('B02 %s is an unknown outcome', async (_name, reply) => {
    const before = await rig.balance();
    const stub = await rig.openChannel('newapiVideo');
    stub.create = [reply];
    await staysUnknown(stub, await rig.submitTo(stub), before);
  });

  it('B02 the job is found by our reference where the vendor can be asked, and goes on', async () => {
    const stub = await rig.openChannel('klingVideo');
    stub.create = [{ status: 502, text: '<html>Bad gateway</html>' }];
    const job = (status: string, more: object = {}): Reply => {
      const external_task_id = (JSON.parse(stub.seen[0]?.body ?? '{}') as { external_task_id?: string })
        .external_task_id;
      const data = { task_id: '831000000000000001', task_status: status, task_info: { external_task_id } };
      return { json: { code: 0, message: 'SUCCEED', data: { ...data, ...more } } };
    };
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, (view) => view.status === 'uncertain');
    const videos = [{ id: 'v', url: stub.fileUrl(), duration: '5' }];
    stub.poll = [job('processing'), job('processing'), job('succeed', { task_result: { videos } })];
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(stub.count('create')).toBe(1);
    expect(await dispatchOf(taskId)).toMatchObject({ upstream_id: '831000000000000001' });
  });
});

describe('B03 the id of a taken job', () => {
  it('B03 a stop between the answer and the commit leaves an unknown outcome, and no second create', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken('task_1')];
    stub.list = [{ status: 500 }];
    setCrashHandler((name) => {
      if (name === 'dispatch.after-create') throw new Error('killed');
    });
    const taskId = await rig.submitTo(stub);
    await rig.knock();
    await rig.eventually(() => stub.count('create') === 1);
    expect(await dispatchOf(taskId)).toMatchObject({ outcome: null, upstream_id: null });
    await staysUnknown(stub, taskId, before);
  });

  it('B03 a write that fails is tried again until the id is saved', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken('task_1')];
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    // A sequence is not rolled back: the first write fails, the second passes.
    await rig.t.sql.unsafe(`
      create sequence b03_once;
      create function b03_fail() returns trigger language plpgsql as $$
      begin
        if nextval('b03_once') = 1 then raise exception 'the disk is full'; end if;
        return new;
      end $$;
      create trigger b03 before update on dispatches for each row
        when (new.outcome = 'accepted' and old.outcome is null) execute function b03_fail();`);
    try {
      const taskId = await rig.submitTo(stub);
      expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded' });
      expect(await dispatchOf(taskId)).toMatchObject({ outcome: 'accepted', upstream_id: 'task_1' });
      expect(stub.count('create')).toBe(1);
      expect(rig.logs.filter((line) => line.message.includes('could not be saved yet'))).toHaveLength(1);
    } finally {
      await rig.t.sql.unsafe(
        'drop trigger b03 on dispatches; drop function b03_fail; drop sequence b03_once;',
      );
    }
  });
});

describe('B04 a row without an upstream id', () => {
  it('B04 that was never sent is claimed and created once', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    const taskId = await rig.submitTo(stub);
    await rig.t.sql`
      update generation_tasks set leased_by = ${newId()}, lease_token = lease_token + 1,
        lease_until = now() - interval '1 minute' where id = ${taskId}`;
    await rig.until(taskId, (view) => view.status === 'succeeded');
    expect(stub.count('create')).toBe(1);
  });

  it('B04 that was sent is not sent again', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.list = [{ status: 500 }];
    const task = await createTask(rig.db, {
      userId: rig.user.id,
      channelId: stub.channelId,
      modelId: stub.modelId,
      status: 'dispatching',
      leasedBy: newId(),
      leaseUntil: new Date(Date.now() - 60_000),
    });
    await rig.until(task.id, (view) => view.status === 'uncertain');
    await rig.knocks(task.id);
    expect(stub.count('create')).toBe(0);
    await rig.ageUncertain(task.id);
    await rig.finish(task.id);
  });
});

it('B05 a restart of everything goes on polling with the saved id and creates nothing', async () => {
  const stub = await rig.openChannel('replicateImage');
  stub.create = [taken('task_5')];
  stub.poll = [said('processing')];
  const first = rig.anotherProcess();
  const taskId = await rig.submitTo(stub);
  await rig.runUntil(taskId, (view) => view.status === 'running', first.executor);
  await first.executor.drain();
  await rig.t.sql`
    update generation_tasks set last_polled_at = now() - interval '10 minutes', next_poll_at = now() - interval '10 minutes'
    where id = ${taskId}`;
  const two = [rig.anotherProcess(), rig.anotherProcess()] as const;
  const polls = stub.count('poll');
  await Promise.all(two.map(({ executor }) => rig.knock(executor)));
  await rig.eventually(() => stub.count('poll') > polls);
  stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
  expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded' });
  expect(stub.count('create')).toBe(1);
  for (const seen of stub.seen.filter((one) => one.call === 'poll'))
    expect(seen.target).toContain('/predictions/task_5');
});

it('B06 trouble of polls repeats the poll alone', async () => {
  const stub = await rig.openChannel('replicateImage');
  stub.create = [taken('t1')];
  stub.poll = [
    { status: 500 },
    { status: 500 },
    { status: 500 },
    said('succeeded', { output: [stub.fileUrl()] }),
  ];
  expect(await rig.finish(await rig.submitTo(stub))).toMatchObject({ status: 'succeeded' });
  expect(stub.count('create')).toBe(1);
  expect(stub.count('poll')).toBe(4);
});

describe('B07 the same request twice', () => {
  it('B07 is one task and one hold: at once, later, and with another body a conflict', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    const before = await rig.balance();
    const requestKey = newId();
    const ids = await Promise.all([rig.submitTo(stub, { requestKey }), rig.submitTo(stub, { requestKey })]);
    expect(new Set(ids).size).toBe(1);
    // The first answer was lost on its way: the client repeats it later.
    expect(await rig.submitTo(stub, { requestKey })).toBe(ids[0]);
    await expect(rig.submitTo(stub, { requestKey, prompt: 'another harbour' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 5);
    await rig.finish(ids[0]);
    expect(stub.count('create')).toBe(1);
  });
});

it('B08 a finished request repeated is the finished task, and another user’s key is another task', async () => {
  const stub = await rig.openChannel('replicateImage');
  stub.create = [taken()];
  stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
  const requestKey = newId();
  const taskId = await rig.submitTo(stub, { requestKey });
  await rig.finish(taskId);
  const after = await rig.balance();
  expect(await rig.submitTo(stub, { requestKey })).toBe(taskId);
  await rig.knocks(taskId, 2);
  expect(stub.count('create')).toBe(1);
  expect(await rig.balance()).toEqual(after);

  const other = await createUser(rig.db, { balanceCredits: 10 });
  expect(await rig.submitTo(stub, { requestKey, userId: other.id })).not.toBe(taskId);
  expect((await rig.balance(other.id)).balanceCredits).toBe(5);
});

describe('B10 a 200 without an id', () => {
  it.each<[string, Reply]>([
    ['nothing in the envelope', { text: '{"code":"success","message":"","data":null}' }],
    ['an empty list', { text: '{"data":[]}' }],
    ['no body', { text: '' }],
    ['null', { text: '{"id":null,"task_id":null}' }],
    ['the word null', { text: '{"id":"null"}' }],
    ['the word undefined', { text: '{"task_id":"undefined"}' }],
    ['an object', { text: '{"id":{}}' }],
    ['an object as text', { text: '{"id":"[object Object]"}' }],
  ])('B10 %s decides nothing, and no id is made up', async (_name, reply) => {
    const before = await rig.balance();
    const stub = await rig.openChannel('newapiVideo');
    stub.create = [reply];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, (view) => view.status === 'uncertain');
    expect(await dispatchOf(taskId)).toMatchObject({ outcome: null, upstream_id: null });
    await staysUnknown(stub, taskId, before);
  });

  it('B10 an explicit no is a refusal and a refund', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('newapiVideo');
    stub.create = [{ text: '{"success":false,"message":"no quota"}' }];
    expect(await rig.finish(await rig.submitTo(stub))).toMatchObject({
      status: 'failed',
      money: { state: 'refunded' },
    });
    expect(await rig.balance()).toEqual(before);
  });
});

describe('B12 ids that are numbers', () => {
  it('B12 longer than a double holds, digit for digit', async () => {
    const stub = await rig.openChannel('newapiVideo');
    stub.create = [{ text: '{"data":{"task_id":9007199254740993}}' }];
    stub.poll = [{ json: { code: 'success', data: { status: 'SUCCESS', result_url: stub.fileUrl() } } }];
    const taskId = await rig.submitTo(stub);
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded' });
    expect(await dispatchOf(taskId)).toMatchObject({ upstream_id: '9007199254740993' });
    expect(stub.seen.find((one) => one.call === 'poll')?.target).toMatch(/\/9007199254740993$/);
  });

  it('B12 as the whole of data', async () => {
    const stub = await rig.openChannel('newapiVideo');
    stub.create = [{ text: '{"code":"success","data":"12345"}' }];
    stub.poll = [{ json: { code: 'success', data: { status: 'SUCCESS', result_url: stub.fileUrl() } } }];
    expect(await rig.finish(await rig.submitTo(stub))).toMatchObject({ status: 'succeeded' });
    expect(stub.seen.find((one) => one.call === 'poll')?.target).toMatch(/\/12345$/);
  });

  it('B12 of a file, in the second hop', async () => {
    const stub = await rig.openChannel('minimaxVideo');
    const ok = '"base_resp":{"status_code":0,"status_msg":"success"}';
    stub.create = [{ text: `{"task_id":"106916112212032",${ok}}` }];
    stub.poll = [
      { text: `{"task_id":"106916112212032","status":"Success","file_id":926174915891305417,${ok}}` },
      { text: `{"file":{"file_id":926174915891305417,"download_url":"${stub.fileUrl()}"},${ok}}` },
    ];
    expect(await rig.finish(await rig.submitTo(stub))).toMatchObject({ status: 'succeeded' });
    const asked = stub.seen.filter((one) => one.call === 'poll').map((one) => one.target);
    expect(asked[1]).toContain('file_id=926174915891305417');
  });
});

describe('B14 a parameter that upstream cuts', () => {
  const seconds = {
    seconds: { type: 'integer' as const, label: 'Seconds', minimum: 1, maximum: 15, default: 5 },
  };
  const columns = { parameters: seconds, price: { unit: 'second' as const, credits: 1 } };

  it('B14 what was not delivered is not charged', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('openaiVideo', columns);
    stub.create = [{ json: { id: 'v1', status: 'queued' } }];
    stub.poll = [{ json: { id: 'v1', status: 'completed', seconds: '10', url: stub.fileUrl() } }];
    const task = await rig.finish(await rig.submitTo(stub, { params: { seconds: 15 } }));
    // The file itself lasts one second: the smaller of what is said and what is there counts.
    expect(task.money).toMatchObject({ state: 'partly_charged', heldCredits: 15, chargedCredits: 1 });
    expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 1);
  });

  it('B14 what the model cannot make is refused before any charge', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('openaiVideo', columns);
    await expect(rig.submitTo(stub, { params: { seconds: 16 } })).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(await rig.balance()).toEqual(before);
    expect(stub.count('create')).toBe(0);
  });
});

it('the books are right after all of it', async () => {
  expect(await rig.audit()).toEqual([]);
});
