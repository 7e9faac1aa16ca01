import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStubRig, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import type { Reply } from '#server/testing/stub-upstream.ts';

/** Cases B15 to B26: what a status may say, and what ends a task. */

let rig: StubRig;
beforeAll(async () => {
  rig = await createStubRig();
});
afterAll(() => rig.close());

const columnOf = async (taskId: string, column: string) =>
  (await rig.t.sql`select ${rig.t.sql(column)} as value from generation_tasks where id = ${taskId}`)[0]
    ?.value;

/** A Replicate image whose polls say this, up to its end. */
async function ending(polls: (url: string) => Reply[]) {
  const before = await rig.balance();
  const stub = await rig.openChannel('replicateImage');
  stub.create = [taken()];
  stub.poll = polls(stub.fileUrl());
  const taskId = await rig.submitTo(stub);
  const task = await rig.finish(taskId);
  const spent = before.balanceCredits - (await rig.balance()).balanceCredits;
  return { stub, taskId, task, spent };
}

describe('B15 a status that nobody has documented', () => {
  it.each<[string, unknown]>([
    ['unknown', 'unknown'],
    ['another word', 'post_processing'],
    ['no letters', ''],
    ['null', null],
    ['a number', 7],
  ])('B15 %s is no failure: kept as it is, told once, and it ends when it ends', async (_name, word) => {
    const warnings = () => rig.logs.filter((line) => line.message.includes('unknown status word')).length;
    const told = warnings();
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [said(word), said(word), said(word), 'hold'];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, () => stub.count('poll') >= 4);
    expect(await rig.view(taskId)).toMatchObject({ status: 'running', money: { state: 'held' } });
    expect(await columnOf(taskId, 'upstream_status')).toBe(word === null ? '' : String(word));
    expect(warnings() - told).toBe(1);
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    stub.answerHeld(said('succeeded', { output: [stub.fileUrl()] }));
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { chargedCredits: 5 } });
  });
});

describe('B16 spellings', () => {
  it.each(['succeed', 'succeeded', 'SUCCESS', 'Success ', 'complete', 'COMPLETED'])(
    'B16 "%s" is success',
    async (word) => {
      const { task } = await ending((url) => [said(word, { output: [url] })]);
      expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    },
  );
  it.each(['FAILURE', 'failed', 'nsfw', 'expired'])('B16 "%s" is failure', async (word) => {
    const { task, spent } = await ending(() => [said(word)]);
    expect(task).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
    expect(spent).toBe(0);
  });
  it.each(['canceled', 'cancelled', 'CANCEL'])('B16 "%s" is a cancellation', async (word) => {
    const { task, spent } = await ending(() => [said(word)]);
    expect(task).toMatchObject({ status: 'cancelled', money: { state: 'refunded' } });
    expect(spent).toBe(0);
  });
  it('B16 "NOT_START" is no end', async () => {
    const { task } = await ending((url) => [said('NOT_START'), said('succeeded', { output: [url] })]);
    expect(task.status).toBe('succeeded');
  });
});

it('B17 a content that says "not completed yet" is asked for again', async () => {
  const stub = await rig.openChannel('openaiVideo');
  const early: Reply = { status: 400, json: { code: 'invalid', message: 'Task is not completed yet' } };
  stub.create = [{ json: { id: 'v1', status: 'queued' } }];
  stub.poll = [{ json: { id: 'v1', status: 'NOT_START' } }, { json: { id: 'v1', status: 'completed' } }];
  stub.file = [early, early, rig.fileOf('video')];
  const task = await rig.finish(await rig.submitTo(stub));
  expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
  expect(stub.count('create')).toBe(1);
  expect(stub.count('file')).toBe(3);
});

describe('B20 success without an address', () => {
  it.each<[string, object]>([
    ['no output', {}],
    ['an empty list', { output: [] }],
    ['an empty text', { output: '' }],
    ['a list of empty texts', { output: [''] }],
    ['null', { output: null }],
  ])('B20 %s, for good, fails with a refund after bounded tries', async (_name, more) => {
    const { stub, task, spent } = await ending(() => [said('succeeded', more)]);
    expect(task).toMatchObject({
      status: 'failed',
      failure: { code: 'no_artifact' },
      outputs: [],
      money: { state: 'refunded' },
    });
    expect(spent).toBe(0);
    expect(stub.count('create')).toBe(1);
    expect(stub.count('poll')).toBeLessThan(20);
  });

  it('B20 the address comes with the third poll', async () => {
    const { stub, task } = await ending((url) => [
      said('succeeded'),
      said('succeeded', { output: [] }),
      said('succeeded', { output: [url] }),
    ]);
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(stub.count('create')).toBe(1);
  });
});

it('B21 done, but filtered: the reason is shown and the credits come back', async () => {
  const before = await rig.balance();
  const stub = await rig.openChannel('geminiVideo');
  stub.create = [{ json: { name: 'models/veo/operations/op1' } }];
  stub.poll = [
    {
      json: {
        name: 'models/veo/operations/op1',
        done: true,
        response: {
          generateVideoResponse: {
            raiMediaFilteredCount: 1,
            raiMediaFilteredReasons: ['The face of a celebrity.'],
          },
        },
      },
    },
  ];
  const task = await rig.finish(await rig.submitTo(stub));
  expect(task).toMatchObject({
    status: 'failed',
    failure: { code: 'moderated' },
    money: { state: 'refunded' },
  });
  expect(task.failure?.message).toContain('The face of a celebrity');
  expect(await rig.balance()).toEqual(before);
});

describe('B22 a failure with HTTP 200', () => {
  it.each<[string, object]>([
    ['null', { error: null }],
    ['nothing', {}],
    ['a text', { error: 'It broke.' }],
    ['an object', { error: { code: 'E1', message: 'It broke.' } }],
    ['a list', { error: [{ message: 'It broke.' }, 'twice'] }],
    ['a number', { error: 500 }],
  ])('B22 whose reason is %s fails with a sentence and a refund', async (_name, more) => {
    const { task, spent } = await ending(() => [said('failed', more)]);
    expect(task).toMatchObject({
      status: 'failed',
      failure: { code: 'upstream_failed' },
      money: { state: 'refunded' },
    });
    expect(task.failure?.message).toMatch(/^The provider/);
    expect(task.failure?.message).not.toMatch(/undefined|null|\[object/);
    expect(spent).toBe(0);
  });

  it('B22 inside the envelope of another vendor', async () => {
    const stub = await rig.openChannel('dashscopeVideo');
    stub.create = [{ json: { output: { task_id: 'd1', task_status: 'PENDING' } } }];
    stub.poll = [{ json: { output: { task_status: 'FAILED' } } }];
    expect(await rig.finish(await rig.submitTo(stub))).toMatchObject({
      status: 'failed',
      failure: { code: 'upstream_failed' },
      money: { state: 'refunded' },
    });
  });
});

it('B23 a verdict on content that comes late fails once, and nothing is tried again', async () => {
  const before = await rig.balance();
  const stub = await rig.openChannel('arkVideo');
  const error = { code: 'OutputVideoSensitiveContentDetected', message: 'It may be sensitive.' };
  stub.create = [{ json: { id: 'cgt-1' } }];
  stub.poll = [
    ...Array.from({ length: 10 }, (): Reply => ({ json: { id: 'cgt-1', status: 'running' } })),
    { json: { id: 'cgt-1', status: 'failed', error } },
  ];
  const taskId = await rig.submitTo(stub);
  const task = await rig.finish(taskId);
  expect(task).toMatchObject({
    status: 'failed',
    failure: { code: 'moderated' },
    money: { state: 'refunded' },
  });
  await rig.knocks(taskId, 5);
  expect(stub.count('create')).toBe(1);
  expect(await rig.refundRows(taskId)).toBe(1);
  expect(await rig.balance()).toEqual(before);
});

it('B24 stuck at 99 is overdue after its deadline, holds nobody else up, and ends by the policy', async () => {
  const before = await rig.balance();
  const stub = await rig.openChannel('newapiVideo');
  stub.create = [{ json: { task_id: 'task_24' } }];
  stub.poll = [{ json: { code: 'success', data: { status: 'IN_PROGRESS', progress: '99%' } } }];
  const stuck = await rig.submitTo(stub);
  await rig.until(stuck, (view) => view.progress === 99);

  const other = await rig.openChannel('newapiVideo');
  other.create = [{ json: { task_id: 'task_25' } }];
  other.poll = [{ json: { code: 'success', data: { status: 'SUCCESS', result_url: other.fileUrl() } } }];
  expect(await rig.finish(await rig.submitTo(other))).toMatchObject({ status: 'succeeded' });
  expect(await rig.view(stuck)).toMatchObject({ status: 'running', money: { state: 'held' } });

  await rig.t.sql`update generation_tasks set deadline_at = now() - interval '1 second' where id = ${stuck}`;
  const overdue = await rig.until(stuck, (view) => view.status === 'uncertain');
  expect(overdue.uncertain?.reason).toBe('overdue');
  await rig.ageUncertain(stuck);
  expect(await rig.finish(stuck)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
  expect(stub.count('create')).toBe(1);
  expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 5);
});

describe('B26 answers that contradict each other', () => {
  it.each(['processing', 'failed', 'canceled'])(
    'B26 a slower poll that says "%s" after the success changes nothing',
    async (word) => {
      const stub = await rig.openChannel('replicateImage');
      const other = rig.anotherProcess();
      stub.create = [taken()];
      stub.poll = ['hold', said('succeeded', { output: [stub.fileUrl()] })];
      const taskId = await rig.submitTo(stub);
      await rig.until(taskId, () => stub.count('poll') === 1);
      // The holder of the slow poll is thought dead; another process polls and ends the task.
      await rig.t.sql`
        update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now()
        where id = ${taskId}`;
      const task = await rig.runToEnd(taskId, other.executor);
      expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
      stub.answerHeld(said(word));
      stub.poll = [said('failed')];
      await rig.eventually(() => rig.executor.stats().inFlight.poll === 0);
      await rig.knocks(taskId, 3);
      expect(await rig.view(taskId)).toMatchObject({ status: 'succeeded', money: task.money });
      expect(await rig.refundRows(taskId)).toBe(0);
    },
  );

  it('B26 a holder that was overtaken writes nothing, also while the task still runs', async () => {
    const stub = await rig.openChannel('replicateImage');
    const other = rig.anotherProcess();
    stub.create = [taken()];
    stub.poll = ['hold', said('processing')];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, () => stub.count('poll') === 1);
    await rig.t.sql`
      update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now()
      where id = ${taskId}`;
    await rig.runUntil(taskId, () => stub.count('poll') >= 2, other.executor);
    await rig.eventually(() => other.executor.stats().inFlight.poll === 0);
    stub.answerHeld(said('failed'));
    await rig.eventually(() => rig.executor.stats().inFlight.poll === 0);
    expect(await rig.view(taskId)).toMatchObject({ status: 'running', money: { state: 'held' } });
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
  });
});

it('the books are right after all of it', async () => {
  expect(await rig.audit()).toEqual([]);
});
