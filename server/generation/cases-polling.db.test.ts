import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { providerKeys } from '#server/db/schema/index.ts';
import { replaceKey } from '#server/providers/channels/manage-keys.ts';
import { createChannelInput } from '#server/providers/channels/schemas.ts';
import { createModel, createTask, createUser } from '#server/testing/factories.ts';
import { createStubRig, STUB_KEY, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import type { Reply } from '#server/testing/stub-upstream.ts';

/** Cases B28 to B35: what may happen between us and upstream while a job runs. */

let rig: StubRig;
beforeAll(async () => {
  rig = await createStubRig();
});
afterAll(() => rig.close());
afterEach(() => rig.t.sql`update provider_channels set paused_until = null, cool_down_until = null`);

describe('B28 polls that are not answered', () => {
  it.each<[string, () => string]>([
    ['seconds', () => '7'],
    ['a date', () => new Date(Date.now() + 8_000).toUTCString()],
  ])('B28 Retry-After in %s is kept, and the job goes on to its end', async (_name, after) => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [
      { status: 429, headers: { 'retry-after': after() }, json: { detail: 'Throttled.' } },
      { status: 503 },
      'reset',
      { status: 520, text: '<html>Unknown error</html>' },
      said('succeeded', { output: [stub.fileUrl()] }),
    ];
    const taskId = await rig.submitTo(stub);
    const pausedFor = async () =>
      (
        await rig.t.sql`
          select extract(epoch from paused_until - now())::float as seconds from provider_channels
          where id = ${stub.channelId} and paused_until is not null`
      )[0]?.seconds as number | undefined;
    const asked = Date.now();
    await rig.runUntil(taskId, () => stub.count('poll') === 1);
    await rig.eventually(async () => (await pausedFor()) !== undefined);
    // Whatever time the test itself took is off the pause.
    const left = await pausedFor();
    expect(left).toBeGreaterThan(5.9 - (Date.now() - asked) / 1000);
    expect(left).toBeLessThanOrEqual(8);
    await rig.knock();
    expect(stub.count('poll')).toBe(1);
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(stub.count('poll')).toBe(5);
    expect(stub.count('create')).toBe(1);
    expect(await rig.refundRows(taskId)).toBe(0);
  });
});

describe('B29 pages and broken JSON', () => {
  it.each<[string, Reply]>([
    [
      'HTML with 200 that says failed',
      { text: '<html>maintenance failed</html>', headers: { 'content-type': 'text/html' } },
    ],
    ['HTML with 504', { status: 504, text: '<html>failed</html>', headers: { 'content-type': 'text/html' } }],
    ['nothing', { text: '' }],
    ['half of the JSON', { text: '{"status":"failed","error":"x' }],
  ])('B29 %s is no verdict', async (_name, reply) => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [reply, reply, reply, said('succeeded', { output: [stub.fileUrl()] })];
    const taskId = await rig.submitTo(stub);
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(stub.count('poll')).toBe(4);
    expect(await rig.refundRows(taskId)).toBe(0);
  });
});

describe('B30 a job that is not there', () => {
  const absent: Reply = { status: 404, json: { detail: 'The requested resource could not be found.' } };

  it('B30 at first means nothing', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [absent, absent, said('processing'), said('succeeded', { output: [stub.fileUrl()] })];
    expect(await rig.finish(await rig.submitTo(stub))).toMatchObject({ status: 'succeeded' });
    expect(stub.count('create')).toBe(1);
  });

  it('B30 however often within the grace means nothing', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [absent];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, () => stub.count('poll') >= 8);
    expect(await rig.view(taskId)).toMatchObject({ status: 'running', money: { state: 'held' } });
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded' });
  });

  it('B30 for an hour is missing, then ended by the policy, and never created again', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [absent];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, (view) => view.status === 'running');
    await rig.t.sql`update generation_tasks set accepted_at = now() - interval '1 hour' where id = ${taskId}`;
    const missing = await rig.until(taskId, (view) => view.status === 'uncertain');
    expect(missing.uncertain?.reason).toBe('missing');
    expect(stub.count('poll')).toBeGreaterThanOrEqual(3);
    await rig.ageUncertain(taskId);
    expect(await rig.finish(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
    expect(stub.count('create')).toBe(1);
    expect(await rig.balance()).toEqual(before);
  });
});

describe('B32 keys', () => {
  it('B32 a job is polled with the key that created it, whatever key came after', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [said('processing')];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, (view) => view.status === 'running');
    const actorId = rig.user.id;
    await replaceKey(rig.deps, { channelId: stub.channelId, apiKey: 'the-second-key-of-all', actorId });
    const polls = stub.count('poll');
    await rig.until(taskId, () => stub.count('poll') >= polls + 3);
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded' });
    const keys = stub.seen.filter((one) => one.call === 'poll').map((one) => one.headers.authorization);
    expect(new Set(keys)).toEqual(new Set([`Bearer ${STUB_KEY}`]));

    stub.create = [taken('p2')];
    await rig.finish(await rig.submitTo(stub));
    expect(stub.seen.findLast((one) => one.call === 'create')?.headers.authorization).toBe(
      'Bearer the-second-key-of-all',
    );
  });

  it.each([401, 403])('B32 a %i is never a verdict on the job', async (status) => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [{ status, json: { detail: 'You did not pass a valid authentication token' } }];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, () => stub.count('poll') >= 8);
    expect(await rig.view(taskId)).toMatchObject({ status: 'running', money: { state: 'held' } });
    stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded' });
  });

  it('B32 a key is saved without the line break that came with it', () => {
    const input = {
      name: 'A',
      protocol: 'replicate',
      baseUrl: 'https://api.replicate.com/v1',
      apiKey: ' r8_key\n',
    };
    expect(createChannelInput.parse(input).apiKey).toBe('r8_key');
    expect(createChannelInput.safeParse({ ...input, apiKey: 'r8\nkey' }).success).toBe(false);
  });

  it('B32 a stored key that makes no header stops its own task alone', async () => {
    const broken = await rig.openChannel('replicateImage');
    broken.create = [taken()];
    const sealed = rig.deps.keyRing.seal('broken\nkey', broken.channelId);
    await rig.db.update(providerKeys).set(sealed).where(eq(providerKeys.channelId, broken.channelId));
    const sound = await rig.openChannel('replicateImage');
    sound.create = [taken()];
    sound.poll = [said('succeeded', { output: [sound.fileUrl()] })];
    const bad = await rig.submitTo(broken);
    const good = await rig.submitTo(sound);
    await rig.until(bad, (view) => view.events.some((event) => event.type !== 'submitted'));
    expect(await rig.finish(good)).toMatchObject({ status: 'succeeded' });
    await rig.t.sql`update generation_tasks set give_up_at = now() - interval '1 second' where id = ${bad}`;
    expect(await rig.finish(bad)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
    expect(broken.count('create')).toBe(0);
  });
});

it('B33 what was changed after the submit changes neither the polls nor the charge', async () => {
  const before = await rig.balance();
  const stub = await rig.openChannel('replicateImage');
  const elsewhere = await rig.openChannel('openaiImage');
  stub.create = [taken()];
  stub.poll = [said('processing')];
  const taskId = await rig.submitTo(stub);
  await rig.until(taskId, (view) => view.status === 'running');
  await rig.t.sql`
    update models set price = '{"unit":"call","credits":900}', upstream_model = 'acme/other', endpoint = 'images',
      enabled = false, channel_id = ${elsewhere.channelId} where id = ${stub.modelId}`;
  await rig.t.sql`
    update provider_channels set base_url = 'http://127.0.0.1:1/elsewhere', enabled = false, protocol = 'openai'
    where id = ${stub.channelId}`;
  const polls = stub.count('poll');
  await rig.until(taskId, () => stub.count('poll') > polls);
  stub.poll = [said('succeeded', { output: [stub.fileUrl()] })];
  expect(await rig.finish(taskId)).toMatchObject({
    status: 'succeeded',
    money: { state: 'charged', chargedCredits: 5 },
  });
  expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 5);
  expect(elsewhere.seen).toEqual([]);
});

it('B35 a storm of polls on a slow upstream: none fails, all are spread, and no knock waits for it', async () => {
  const stub = await rig.openChannel('openaiText');
  const price = { unit: 'call' as const, credits: 1 };
  const model = await createModel(rig.db, { kind: 'text', channelId: stub.channelId, price });
  const { id: userId } = await createUser(rig.db);
  const first = await createTask(rig.db, {
    status: 'running',
    userId,
    channelId: stub.channelId,
    modelId: model.id,
    holdCredits: 0,
    snapshot: { protocol: 'openai', baseUrl: `${stub.url}/v1`, endpoint: 'responses', price },
  });
  await copyTask(first.id, 499);
  const busy: Reply = {
    status: 429,
    headers: { 'retry-after': '600' },
    json: { error: { message: 'Slow down.' } },
  };
  const job: Reply = { json: { id: 'r', status: 'in_progress' } };
  stub.poll = ['hold'];
  const executor = rig.anotherProcess({
    slots: { poll: 8, create: 1, transfer: 1, compose: 1 },
    pollFirstMs: 60_000,
    pollCapMs: 60_000,
  }).executor;
  // Every place is taken by a poll that hangs; the knock answers all the same.
  expect(await rig.knock(executor)).toMatchObject({ inFlight: 8 });
  await rig.eventually(() => stub.count('poll') === 8);
  // Two pass, then the limit is reached.
  stub.poll = [job, job, busy];
  stub.answerHeld(busy);
  for (let knocks = 0; knocks < 10; knocks += 1) await rig.knock(executor);
  await rig.eventually(() => executor.stats().inFlight.poll === 0);
  // Those in flight when the first 429 came, and nothing after it.
  expect(stub.count('poll')).toBeLessThanOrEqual(8 + 8);
  const states = async () =>
    rig.t.sql`
      select status, count(*)::int as tasks, count(distinct next_poll_at)::int as moments,
        count(*) filter (where lease_until is not null)::int as leased
      from generation_tasks where user_id = ${userId} group by status`;
  expect(await states()).toEqual([expect.objectContaining({ status: 'running', tasks: 500, leased: 0 })]);

  // The limit is gone: all are polled, and their next looks are apart.
  stub.poll = [job];
  await rig.t.sql`
    update generation_tasks set next_poll_at = now() where user_id = ${userId} and poll_count > 0`;
  await rig.eventually(async () => {
    await rig.t.sql`update provider_channels set paused_until = null, cool_down_until = null`;
    await rig.knock(executor);
    const [row] = await rig.t.sql`
      select count(*)::int as late from generation_tasks
      where user_id = ${userId} and next_poll_at <= now() + interval '5 seconds'`;
    return row?.late === 0;
  });
  const [after] = await states();
  expect(after).toMatchObject({ status: 'running', tasks: 500 });
  expect(after?.moments).toBeGreaterThan(200);
});

/** So many more of the same task, which holds nothing, written at once. */
async function copyTask(taskId: string, times: number): Promise<void> {
  await rig.t.sql.unsafe(`
    do $$
    declare
      t generation_tasks%rowtype; d generation_task_details%rowtype; p dispatches%rowtype; h credit_holds%rowtype;
    begin
      select * into t from generation_tasks where id = '${taskId}';
      select * into d from generation_task_details where task_id = '${taskId}';
      select * into p from dispatches where task_id = '${taskId}';
      select * into h from credit_holds where task_id = '${taskId}';
      for i in 1..${times} loop
        t.id := gen_random_uuid(); d.task_id := t.id; p.task_id := t.id; h.task_id := t.id;
        p.id := gen_random_uuid();
        insert into generation_tasks select t.*;
        insert into generation_task_details select d.*;
        insert into dispatches select p.*;
        insert into credit_holds select h.*;
      end loop;
    end $$`);
}
