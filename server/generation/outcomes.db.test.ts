import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { cancelTask } from './cancel-task.ts';
import { resolveTask } from './resolve-task.ts';
import { runLateWatchBatch } from './run-late-watch-batch.ts';
import type { Kind } from './status.ts';

/** What upstream may do to one task, over real HTTP, and how it must end. */

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const ageUncertain = (taskId: string) =>
  rig.t.sql`update generation_tasks set uncertain_until = now() - interval '1 second', next_poll_at = now()
    where id = ${taskId} and status = 'uncertain'`;
const dueNow = (taskId: string) =>
  rig.t
    .sql`update generation_tasks set next_poll_at = now() where id = ${taskId} and finished_at is null and lease_until is null`;
const onlyCreate = async (taskId: string) => {
  const creates = await rig.creates(taskId);
  expect(creates).toHaveLength(1);
  return creates[0];
};

describe('a create without a clear answer is uncertain and never sent again', () => {
  it.each<[string, Kind, string]>([
    ['B01 the socket closes after the job was recorded', 'video', '[[drop_after_accept]]'],
    ['B02 502 with HTML after the job was recorded', 'video', '[[error_after_accept]]'],
    ['B02 504', 'image', '[[error_after_accept:504]]'],
    ['B10 200 with an empty body', 'video', '[[empty_create]]'],
    ['a truncated answer', 'video', '[[truncated:create]]'],
    ['an image without data', 'image', '[[no_artifact]]'],
  ])('%s', async (_name, kind, directive) => {
    const before = await rig.balance();
    const taskId = await rig.submit(kind, { prompt: `a pier ${directive}` });
    const uncertain = await rig.runUntil(taskId, (view) => view.status === 'uncertain');
    expect(uncertain).toMatchObject({ uncertain: { reason: 'no_answer' }, money: { state: 'held' } });
    expect(uncertain.waiting).toContain('Nothing is sent again');
    for (let knocks = 0; knocks < 5; knocks += 1) {
      await dueNow(taskId);
      await rig.knock();
    }
    expect(await onlyCreate(taskId)).toMatchObject({ received: 1 });
    expect(await rig.view(taskId)).toMatchObject({ status: 'uncertain', money: { state: 'held' } });

    await ageUncertain(taskId);
    const failed = await rig.runToEnd(taskId);
    expect(failed).toMatchObject({
      status: 'failed',
      failure: { code: 'unknown_outcome' },
      money: { state: 'refunded' },
    });
    expect(await rig.balance()).toEqual(before);
    expect(await onlyCreate(taskId)).toMatchObject({ received: 1 });
    expect(await rig.audit()).toEqual([]);
  });
});

describe('an operator ends what nobody knows', () => {
  const uncertainTask = async () => {
    const taskId = await rig.submit('video', { prompt: 'a mast [[drop_after_accept]]' });
    await rig.runUntil(taskId, (view) => view.status === 'uncertain');
    return taskId;
  };

  it('with the address of a file that only the channel’s key opens', async () => {
    const taskId = await uncertainTask();
    const [create] = await rig.creates(taskId);
    const { jobIds } = await rig.sandbox.control.createsOf(create?.dispatchId ?? '');
    const result = (url: string) =>
      resolveTask(rig.deps, {
        taskId,
        verdict: 'result',
        urls: [url],
        text: '',
        reason: 'seen in the dashboard',
        operatorId: rig.user.id,
      });
    const address = `${rig.sandbox.url}/v1/videos/${jobIds[0]}`;
    await expect.poll(async () => (await fetch(`${address}/content`)).status).toBe(401);
    await expect(result(`${address}x/content`)).rejects.toMatchObject({ code: 'bad_request' });
    await rig.sandbox.control.release();
    await expect.poll(() => result(`${address}/content`).then(() => 'given', String)).toBe('given');
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
  });

  it('with the upstream id the result is fetched and charged', async () => {
    const taskId = await uncertainTask();
    const [create] = await rig.creates(taskId);
    const { jobIds } = await rig.sandbox.control.createsOf(create?.dispatchId ?? '');
    await resolveTask(rig.deps, {
      taskId,
      verdict: 'upstream_id',
      upstreamId: jobIds[0] ?? '',
      reason: 'seen in the dashboard',
      operatorId: rig.user.id,
    });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(task.events.map((event) => event.text)).toContainEqual(
      expect.stringContaining('seen in the dashboard'),
    );
    expect(await onlyCreate(taskId)).toMatchObject({ received: 1 });
  });

  it('with a confirmed failure it is refunded once, and a second word is refused', async () => {
    const before = await rig.balance();
    const taskId = await uncertainTask();
    const word = {
      taskId,
      verdict: 'failed' as const,
      reason: 'not in the dashboard',
      operatorId: rig.user.id,
    };
    await resolveTask(rig.deps, word);
    await expect(resolveTask(rig.deps, word)).rejects.toMatchObject({ code: 'conflict' });
    expect(await rig.view(taskId)).toMatchObject({
      status: 'failed',
      failure: { code: 'resolved_by_operator' },
      money: { state: 'refunded' },
    });
    expect(await rig.balance()).toEqual(before);
  });
});

describe('polls', () => {
  it.each<[string, string]>([
    ['B28 429 with Retry-After', '[[rate_limit:1,1,on=poll]]'],
    ['B28 503', '[[server_error:503,2]]'],
    ['B28 a reset', '[[reset:2]]'],
    ['B29 HTML with 200 that says failed', '[[html:poll,2]]'],
    ['B29 an empty 200', '[[empty_poll:2]]'],
    ['B29 half of the JSON', '[[truncated:poll,2]]'],
    ['B15 an unknown word', '[[unknown_status:post_processing,3]]'],
    ['B30 404 at first', '[[not_found:2]]'],
    ['B32 401 for a while', '[[unauthorized:2]]'],
    ['B58 the file is not visible yet', '[[expired:404,2]]'],
    ['a broken download', '[[broken_download:1000,1]]'],
    ['B12 a number longer than a double', '[[numeric_id]]'],
    ['B16 another spelling', '[[status_word:SUCCESS]]'],
  ])('%s ⇒ it succeeds with one create', async (_name, directive) => {
    const taskId = await rig.submit('video', { prompt: `a gull ${directive}` });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(await onlyCreate(taskId)).toMatchObject({ received: 1, recorded: 1 });
    // A 429 has paused the channel; the next case starts without it.
    await rig.t.sql`update provider_channels set paused_until = null`;
  });

  it('B06, B05: trouble in polls repeats only polls, also after a restart of everything', async () => {
    const taskId = await rig.submit('video', { prompt: 'a rope [[server_error:500,3]] [[delay:60000]]' });
    await rig.runUntil(taskId, (view) => view.status === 'running');
    const other = rig.anotherProcess();
    await rig.sandbox.control.release();
    expect(await rig.runToEnd(taskId, other.executor)).toMatchObject({ status: 'succeeded' });
    expect(await onlyCreate(taskId)).toMatchObject({ received: 1 });
  });

  it('a job that upstream removed after it took our cancel is cancelled', async () => {
    const taskId = await rig.submit('text', { prompt: 'a gong [[delay:600000]] [[not_found:always]]' });
    await rig.runUntil(taskId, (view) => view.status === 'running');
    // The answer to the cancel and the last 404 that was missing come in one step.
    const ripen = () => rig.t.sql`
      update generation_tasks set accepted_at = now() - interval '1 hour', missing_count = 9,
        next_poll_at = now() + interval '1 hour' where id = ${taskId} and lease_until is null`;
    await expect.poll(async () => (await ripen()).count, { timeout: 60_000 }).toBe(1);
    await cancelTask(rig.deps, { userId: rig.user.id, taskId });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'cancelled', money: { state: 'refunded' } });
    expect(task.events.map((event) => event.text)).toContain('The provider was asked to cancel.');
  });

  it('B30: 404 for good, past the grace, is missing, then ended by the policy; never created again', async () => {
    const taskId = await rig.submit('video', { prompt: 'a bell [[not_found:always]]' });
    await rig.runUntil(taskId, (view) => view.status === 'running');
    await rig.t.sql`update generation_tasks set accepted_at = now() - interval '1 hour' where id = ${taskId}`;
    const missing = await rig.runUntil(taskId, (view) => view.status === 'uncertain');
    expect(missing.uncertain?.reason).toBe('missing');
    await ageUncertain(taskId);
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
    expect(await onlyCreate(taskId)).toMatchObject({ received: 1 });
  });

  it('B24: stuck at 99 is overdue after the deadline, and a late success is the user’s beside the refund (B38)', async () => {
    const before = await rig.balance();
    const taskId = await rig.submit('video', { prompt: 'a buoy [[stuck:99]]' });
    await rig.runUntil(taskId, (view) => view.progress === 99);
    await rig.t
      .sql`update generation_tasks set deadline_at = now() - interval '1 second' where id = ${taskId}`;
    await dueNow(taskId);
    const overdue = await rig.runUntil(taskId, (view) => view.status === 'uncertain');
    expect(overdue.uncertain?.reason).toBe('overdue');
    await ageUncertain(taskId);
    await rig.runToEnd(taskId);
    expect(await rig.balance()).toEqual(before);

    const [create] = await rig.creates(taskId);
    await rig.sandbox.control.release({ clientRef: create?.dispatchId ?? '' });
    // A knock of before may be watching in the background: whoever comes first, it is delivered once.
    for (let watches = 0; watches < 200 && (await rig.view(taskId)).outputs.length === 0; watches += 1) {
      await rig.t
        .sql`update dispatches set next_watch_at = now() where task_id = ${taskId} and next_watch_at is not null`;
      await runLateWatchBatch(rig.deps, { executorId: rig.executor.id, limit: 10 });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await rig.runUntil(taskId, (view) => view.events.some((event) => event.type === 'late_success'));
    const task = await rig.view(taskId);
    expect(task).toMatchObject({
      status: 'failed',
      money: { state: 'refunded' },
      outputs: [{ late: true, kind: 'video' }],
    });
    expect(task.events.filter((event) => event.type === 'late_success')).toHaveLength(1);
    expect(await rig.balance()).toEqual(before);
    expect(await rig.audit()).toEqual([]);
  });

  it('B26: the first verdict stands', async () => {
    const taskId = await rig.submit('video', {
      prompt: 'a keel [[delay:1]] [[contradict:completed|in_progress|failed]]',
    });
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'succeeded' });
    await rig.knock();
    expect(await rig.view(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
  });
});

describe('refusals', () => {
  it.each<[string, Kind, string, string]>([
    ['an explicit rejection', 'video', '[[reject]]', 'rejected'],
    ['moderation at create', 'image', '[[moderate]]', 'moderated'],
    ['B23 moderation late in the run', 'video', '[[moderate]]', 'moderated'],
    ['B22 a failure without a reason', 'video', '[[fail:bare=true]]', 'upstream_failed'],
  ])('%s ⇒ failed and refunded, with a sentence', async (_name, kind, directive, code) => {
    const before = await rig.balance();
    const taskId = await rig.submit(kind, { prompt: `a sail ${directive}` });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'failed', failure: { code }, money: { state: 'refunded' } });
    expect(task.failure?.message).toMatch(/^The provider/);
    expect(await rig.balance()).toEqual(before);
  });

  it('a 429 at create keeps the hold, pauses the channel and creates anew with a new dispatch', async () => {
    const taskId = await rig.submit('video', { prompt: 'a tide [[rate_limit:30,1]]' });
    await rig.runUntil(taskId, (view) => view.events.some((event) => event.type === 'requeued'));
    expect(await rig.view(taskId)).toMatchObject({
      status: 'queued',
      money: { state: 'held' },
      waiting: 'The provider takes no new work right now; it is tried again shortly.',
    });
    const [pause] = await rig.t
      .sql`select paused_until > now() + interval '20 seconds' as long from provider_channels`;
    expect(pause?.long).toBe(true);
    await rig.t.sql`update provider_channels set paused_until = null`;
    await dueNow(taskId);
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'succeeded' });
    const creates = await rig.creates(taskId);
    expect(creates).toHaveLength(2);
    for (const create of creates) expect(create.received).toBe(1);
    expect(creates.map((create) => create.recorded)).toEqual([0, 1]);
  });

  it('a key that cannot be opened sends nothing, tells the operator why, and ends with a refund', async () => {
    const before = await rig.balance();
    const [key] = await rig.t.sql`select id, ciphertext from provider_keys`;
    await rig.t.sql`update provider_keys set ciphertext = 'AAAA'`;
    try {
      const taskId = await rig.submit('video');
      await rig.runUntil(taskId, (view) => view.events.some((event) => event.type === 'requeued'));
      const [dispatch] = await rig.t
        .sql`select phase, outcome, error_code, error_message from dispatches where task_id = ${taskId}`;
      expect(dispatch).toMatchObject({ phase: 'intent', outcome: 'not_sent', error_code: 'prepare' });
      expect(dispatch?.error_message).toMatch(/./);
      await rig.t.sql`update generation_tasks set give_up_at = now() where id = ${taskId}`;
      const task = await rig.runToEnd(taskId);
      expect(task).toMatchObject({
        status: 'failed',
        failure: { code: 'cannot_run' },
        money: { state: 'refunded' },
      });
      for (const create of await rig.creates(taskId)) expect(create.received).toBe(0);
      expect(await rig.balance()).toEqual(before);
    } finally {
      await rig.t.sql`update provider_keys set ciphertext = ${key?.ciphertext} where id = ${key?.id}`;
    }
  });

  it('an upstream that refuses connections keeps the task queued, then gives up with a refund', async () => {
    const before = await rig.balance();
    await rig.t.sql`update provider_channels set base_url = 'http://127.0.0.1:1/v1'`;
    try {
      const taskId = await rig.submit('video');
      await rig.runUntil(taskId, (view) => view.events.some((event) => event.type === 'requeued'));
      await rig.t.sql`update generation_tasks set give_up_at = now() where id = ${taskId}`;
      const task = await rig.runToEnd(taskId);
      expect(task).toMatchObject({
        status: 'failed',
        failure: { code: 'gave_up' },
        money: { state: 'refunded' },
      });
      expect(await rig.balance()).toEqual(before);
    } finally {
      await rig.t.sql`update provider_channels set base_url = ${`${rig.sandbox.url}/v1`}`;
    }
  });
});

describe('artefacts', () => {
  it.each<[string, Kind, string, string]>([
    ['B20 success without a file, for good', 'video', '[[no_artifact]]', 'artifact_expired'],
    ['B58 gone for good', 'video', '[[expired:410]]', 'artifact_expired'],
    ['B60 JSON as a video', 'video', '[[wrong_body:json]]', 'artifact_invalid'],
    ['B60 HTML as a video', 'video', '[[wrong_body:html]]', 'artifact_invalid'],
    ['zero bytes', 'video', '[[zero_bytes]]', 'artifact_invalid'],
  ])('%s ⇒ failed and refunded, created once', async (_name, kind, directive, code) => {
    const before = await rig.balance();
    const taskId = await rig.submit(kind, { prompt: `an oar ${directive}` });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({
      status: 'failed',
      failure: { code },
      outputs: [],
      money: { state: 'refunded' },
    });
    expect(await onlyCreate(taskId)).toMatchObject({ received: 1 });
    expect(await rig.balance()).toEqual(before);
  });

  it('B45: three of four images are charged as three', async () => {
    const before = await rig.balance();
    const taskId = await rig.submit('image', { prompt: 'four flags [[partial]]', params: { n: 4 } });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({
      status: 'succeeded',
      money: { state: 'partly_charged', chargedCredits: 9, returnedCredits: 3 },
    });
    expect(task.outputs).toHaveLength(3);
    expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 9);
    expect(await rig.audit()).toEqual([]);
  });

  it('B14: undelivered seconds are returned', async () => {
    const taskId = await rig.submit('video', { prompt: 'waves [[shorter:2]]', params: { seconds: 4 } });
    expect(await rig.runToEnd(taskId)).toMatchObject({
      money: { state: 'partly_charged', chargedCredits: 10, returnedCredits: 10 },
    });
  });

  it('B63: a fault of our storage retries the archive step alone', async () => {
    const taskId = await rig.submit('video', { prompt: 'a chart [[delay:60000]]' });
    await rig.runUntil(taskId, (view) => view.status === 'running');
    const { storeOutput } = rig.deps;
    rig.deps.storeOutput = async () => {
      throw new (await import('#server/storage/asset-store.ts')).StorageError('io', 'the disk is full');
    };
    try {
      await rig.sandbox.control.release();
      await rig.runUntil(taskId, (view) => view.events.some((event) => event.type === 'archive_delayed'));
      for (let knocks = 0; knocks < 10; knocks += 1) {
        await dueNow(taskId);
        await rig.knock();
      }
      expect(await rig.view(taskId)).toMatchObject({ status: 'archiving', money: { state: 'held' } });
      expect((await rig.view(taskId)).waiting).toContain('our storage');
    } finally {
      rig.deps.storeOutput = storeOutput;
    }
    await dueNow(taskId);
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'succeeded' });
    expect(await onlyCreate(taskId)).toMatchObject({ received: 1 });
  });
});

describe('cancel', () => {
  it('what was not sent ends at once and free', async () => {
    const before = await rig.balance();
    const taskId = await rig.submit('video');
    expect(await cancelTask(rig.deps, { userId: rig.user.id, taskId })).toBe('cancelled');
    expect(await cancelTask(rig.deps, { userId: rig.user.id, taskId })).toBe('finished');
    expect(await rig.view(taskId)).toMatchObject({ status: 'cancelled', money: { state: 'refunded' } });
    expect(await rig.balance()).toEqual(before);
    await rig.knock();
    expect(await rig.creates(taskId)).toEqual([]);
  });

  it('B43: where upstream cannot cancel, the answer says so and nothing changes', async () => {
    const taskId = await rig.submit('video', { prompt: 'a crane [[delay:60000]]' });
    await rig.runUntil(taskId, (view) => view.status === 'running');
    expect((await rig.view(taskId)).cancel).toBe('unsupported');
    expect(await cancelTask(rig.deps, { userId: rig.user.id, taskId })).toBe('unsupported');
    await rig.sandbox.control.release();
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
  });

  it('B42: where it can, upstream’s verdict decides, either way', async () => {
    const before = await rig.balance();
    const stopped = await rig.submit('text', { prompt: 'a log [[delay:60000]]' });
    await rig.runUntil(stopped, (view) => view.status === 'running');
    expect(await cancelTask(rig.deps, { userId: rig.user.id, taskId: stopped })).toBe('requested');
    expect(await rig.runToEnd(stopped)).toMatchObject({ status: 'cancelled', money: { state: 'refunded' } });
    expect(await rig.balance()).toEqual(before);

    const won = await rig.submit('text', { prompt: 'a log [[ignore_cancel]] [[delay:60000]]' });
    await rig.runUntil(won, (view) => view.status === 'running');
    await cancelTask(rig.deps, { userId: rig.user.id, taskId: won });
    await rig.runUntil(won, (view) => view.events.some((event) => event.type === 'cancel_answered'));
    await rig.sandbox.control.release();
    expect(await rig.runToEnd(won)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(await rig.audit()).toEqual([]);
  });

  it('a foreign task is not there', async () => {
    const taskId = await rig.submit('video');
    const other = (await import('#server/lib/ids.ts')).newId();
    await expect(cancelTask(rig.deps, { userId: other, taskId })).rejects.toMatchObject({
      code: 'not_found',
    });
    await cancelTask(rig.deps, { userId: rig.user.id, taskId });
  });
});

describe('what people read', () => {
  it('no upstream secret, address or request id reaches the user', async () => {
    const message = `bad key sk-${'a'.repeat(40)} at http://10.0.0.7:8080/v1 (request id: 2026abcdef)`;
    const taskId = await rig.submit('video', {
      prompt: `a knot [[fail:upstream,${message.replaceAll(',', ' ')}]]`,
    });
    const task = await rig.runToEnd(taskId);
    expect(JSON.stringify({ ...task, prompt: '' })).not.toMatch(/sk-a|10\.0\.0\.7|2026abcdef/);
    expect(task.failure?.message).toContain('bad key');
  });
});
