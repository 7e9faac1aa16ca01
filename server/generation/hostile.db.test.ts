import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { modelCandidates } from '#server/db/schema/index.ts';
import type { Deps } from '#server/deps.ts';
import { newId } from '#server/lib/ids.ts';
import { createStubRig, type StubChannel, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import { resolveTask } from './resolve-task.ts';
import { deleteOldDeliveries } from './webhooks/inbox-queries.ts';
import { receiveDelivery } from './webhooks/receive-delivery.ts';
import { webhookUrl } from './webhooks/webhook-url.ts';

/** Ways in which bad luck, or somebody's bad will, could cost a result, a second job or the database its room. */

const LIST_FAILS = { status: 500 };
const NOTHING_LISTED = { json: { results: [{ id: 'other', input: { prompt: 'x' } }], next: null } };

let rig: StubRig;
beforeAll(async () => {
  rig = await createStubRig({ config: { publicOrigin: 'https://lane.example' } });
});
afterAll(() => rig.close());
beforeEach(() => rig.t.sql`update provider_channels set paused_until = null, cool_down_until = null`);

async function lastDispatch(taskId: string) {
  const [row] = await rig.t.sql<{ id: string; outcome: string | null; upstream_id: string | null }[]>`
    select id, outcome, upstream_id from dispatches where task_id = ${taskId} order by number desc limit 1`;
  if (!row) throw new Error('There is no dispatch');
  return row;
}

/** A delivery to the address that we gave for this dispatch. */
function deliver(target: { channelId: string; dispatchId: string }, body: object, deps: Deps = rig.deps) {
  const url = new URL(webhookUrl(rig.deps, target) ?? '');
  return receiveDelivery(deps, {
    channelId: target.channelId,
    request: {
      headers: {},
      rawBody: Buffer.from(JSON.stringify(body)),
      query: Object.fromEntries(url.searchParams),
    },
  });
}

/** A create that is under way. */
async function creating(stub: StubChannel): Promise<string> {
  stub.create = ['hold'];
  const taskId = await rig.submitTo(stub);
  rig.executor.kick([taskId]);
  await rig.eventually(() => stub.count('create') === 1);
  return taskId;
}

/** A create whose answer got lost. */
async function unanswered(stub: StubChannel): Promise<string> {
  stub.create = ['reset'];
  stub.list = [LIST_FAILS];
  const taskId = await rig.submitTo(stub);
  await rig.until(taskId, (view) => view.status === 'uncertain');
  return taskId;
}

/** Knocks with the task due, while its channel stays as it is. */
async function knockDue(taskId: string): Promise<void> {
  await rig.t.sql`
    update generation_tasks set next_poll_at = now()
    where id = ${taskId} and finished_at is null and lease_until is null`;
  await rig.knock();
}

describe('what a delivery tells', () => {
  it('is not lost to a fault of ours in the middle: the vendor repeats it', async () => {
    const stub = await rig.openChannel('replicateImage');
    const taskId = await unanswered(stub);
    const { channelId } = stub;
    const { id: dispatchId } = await lastDispatch(taskId);
    const db = new Proxy(rig.deps.db, {
      get(target, name, receiver) {
        if (name === 'transaction') return () => Promise.reject(new Error('The connection broke'));
        const value: unknown = Reflect.get(target, name, receiver);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const body = { id: 'p1', status: 'succeeded' };
    await expect(deliver({ channelId, dispatchId }, body, { ...rig.deps, db })).rejects.toThrow();
    await deliver({ channelId, dispatchId }, body);
    expect(await lastDispatch(taskId)).toMatchObject({ outcome: 'accepted', upstream_id: 'p1' });
  });

  it('does not stand against the id that the create itself is answered', async () => {
    const stub = await rig.openChannel('newapiVideo', { endpoint: 'suno', kind: 'audio' });
    stub.kind = 'audio';
    stub.poll = [{ json: { code: 'success', data: { task_id: 'gateway-1', status: 'IN_PROGRESS' } } }];
    const taskId = await creating(stub);
    const { id: dispatchId } = await lastDispatch(taskId);
    // The hook of the vendor behind the gateway, passed on before the gateway answers.
    await deliver({ channelId: stub.channelId, dispatchId }, { data: { task_id: 'vendor-77' } });
    stub.answerHeld({ json: { code: 'success', data: 'gateway-1' } });
    await rig.until(taskId, (view) => view.status === 'running');
    await rig.knocks(taskId, 1);
    await rig.eventually(() => stub.count('poll') > 0);
    expect(await lastDispatch(taskId)).toMatchObject({ upstream_id: 'gateway-1' });
    expect(stub.seen.find(({ call }) => call === 'poll')?.target).toBe('/suno/fetch/gateway-1');
  });

  it('takes little room, however often anybody sends it', async () => {
    const { channelId } = await rig.openChannel('newapiVideo');
    const post = (body: string) =>
      receiveDelivery(rig.deps, {
        channelId,
        request: { headers: {}, rawBody: Buffer.from(body), query: {} },
      });
    for (let sent = 0; sent < 50; sent += 1) await post(`no json ${sent} ${'x'.repeat(60_000)}`);
    const [refused] = await rig.t.sql`
      select count(*)::int as rows, sum(deliveries)::int as deliveries, sum(length(body))::int as size
      from webhook_inbox where channel_id = ${channelId} and status = 'refused'`;
    expect(refused?.deliveries).toBe(50);
    // One for each hour.
    expect(refused?.rows).toBeLessThanOrEqual(2);
    expect(refused?.size).toBeLessThan(10_000);

    await rig.t.sql`
      insert into webhook_inbox (id, channel_id, dedupe_key, status, verified, upstream_id, body, headers)
      select gen_random_uuid(), ${channelId}, 'x' || i, 'pending', false, 'u' || i, '', '{}'
      from generate_series(1, 2000) i`;
    await expect(post('{"task_id":"nobody"}')).rejects.toMatchObject({ code: 'too_many_requests' });
    await rig.t.sql`update webhook_inbox set last_received_at = now() - interval '4 days'`;
    for (let times = 0; times < 3; times += 1) await deleteOldDeliveries(rig.db);
    expect((await post('{"task_id":"nobody"}')).status).toBe(200);
  });
});

describe('absence is proven only when the grace after the end of the call is over', () => {
  it('not at once for a call that ended late', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.list = [NOTHING_LISTED];
    const taskId = await creating(stub);
    await rig.t.sql`update dispatches set sent_at = now() - interval '290 seconds' where task_id = ${taskId}`;
    stub.answerHeld('reset');
    await rig.until(taskId, (view) => view.status === 'uncertain');
    await rig.knocks(taskId, 3);
    expect(stub.count('list')).toBeGreaterThan(0);
    expect((await rig.view(taskId)).status).toBe('uncertain');
  });

  it('nor for one that a holder who lost its lease still waits for', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.list = [NOTHING_LISTED];
    stub.poll = [said('processing')];
    const taskId = await creating(stub);
    await rig.t.sql`update dispatches set sent_at = now() - interval '200 seconds' where task_id = ${taskId}`;
    await rig.t.sql`
      update generation_tasks set lease_until = null, leased_by = null, next_poll_at = now() where id = ${taskId}`;
    await rig.until(taskId, (view) => view.status === 'uncertain');
    await rig.knocks(taskId, 3);
    expect((await rig.view(taskId)).status).toBe('uncertain');
    stub.answerHeld(taken('late-1'));
    await rig.eventually(async () => (await lastDispatch(taskId)).outcome !== null);
    expect(await lastDispatch(taskId)).toMatchObject({ outcome: 'accepted', upstream_id: 'late-1' });
  });
});

describe('a channel in trouble', () => {
  it('that takes no creates for a day is polled all the same, before results expire', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [
      taken('p1'),
      { status: 429, headers: { 'retry-after': '86400' }, json: { detail: 'Daily limit' } },
    ];
    stub.poll = [said('processing')];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, (view) => view.status === 'running');
    stub.poll = [said('succeeded', { output: stub.fileUrl() })];
    const other = await rig.submitTo(stub);
    rig.executor.kick([other]);
    const { channelId } = stub;
    await rig.eventually(async () => {
      const [row] = await rig.t.sql`
        select paused_until > now() as is_paused from provider_channels where id = ${channelId}`;
      return row?.is_paused === true;
    });
    // A quarter of an hour passes.
    await rig.t.sql`
      update provider_channels set paused_until = paused_until - interval '15 minutes',
        cool_down_until = cool_down_until - interval '15 minutes' where id = ${channelId}`;
    for (let knocks = 0; knocks < 3; knocks += 1) await knockDue(taskId);
    await rig.eventually(async () => (await rig.view(taskId)).status !== 'running');
    expect((await rig.view(other)).status).toBe('queued');
    expect(stub.count('create')).toBe(2);
  });

  it('is not kept from new work by single faults among good polls', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    const good = said('processing');
    stub.poll = Array.from({ length: 6 }, () => [{ status: 502 }, good, good, good]).flat();
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, (view) => view.status === 'running');
    for (let knocks = 0; knocks < 200 && stub.count('poll') < 21; knocks += 1) await knockDue(taskId);
    const [row] = await rig.t.sql`
      select cool_down_until > now() as cools from provider_channels where id = ${stub.channelId}`;
    expect(stub.count('poll')).toBeGreaterThanOrEqual(21);
    expect(row?.cools).not.toBe(true);
  });

  it('is passed over when it was switched off after the submit', async () => {
    const [first, off, open] = [
      await rig.openChannel('replicateImage'),
      await rig.openChannel('replicateImage'),
      await rig.openChannel('replicateImage'),
    ];
    for (const [index, { channelId }] of [off, open].entries()) {
      await rig.db.insert(modelCandidates).values({
        id: newId(),
        modelId: first.modelId,
        channelId,
        priority: index + 1,
        upstreamModel: 'acme/painter',
        endpoint: 'image',
      });
    }
    const noCredit = { status: 402, json: { title: 'Insufficient credit', detail: 'Insufficient credit' } };
    first.create = [noCredit];
    open.create = [taken()];
    open.poll = [said('succeeded', { output: open.fileUrl() })];
    const taskId = await rig.submitTo(first);
    await rig.t.sql`update provider_channels set enabled = false where id = ${off.channelId}`;
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded' });
    expect([first, off, open].map((stub) => stub.count('create'))).toEqual([1, 0, 1]);

    await rig.t.sql`update provider_channels set enabled = true where id = ${off.channelId}`;
    const second = await rig.submitTo(first);
    await rig.t.sql`
      update provider_channels set enabled = false where id in (${off.channelId}, ${open.channelId})`;
    expect(await rig.finish(second)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
  });
});

describe('what comes late or from an administrator', () => {
  it('a mistyped address ends nothing', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.file = [{ status: 404 }];
    const taskId = await unanswered(stub);
    const [task] = await rig.t.sql`select user_id from generation_tasks where id = ${taskId}`;
    const verdict = resolveTask(rig.deps, {
      taskId,
      verdict: 'result',
      urls: [stub.fileUrl('typo')],
      text: '',
      reason: 'Seen at the vendor',
      operatorId: String(task?.user_id),
    });
    await expect(verdict).rejects.toMatchObject({ code: 'bad_request' });
    expect((await rig.view(taskId)).status).toBe('uncertain');
    expect((await lastDispatch(taskId)).outcome).toBeNull();
  });

  it('a late result of two files is fetched whole, also when one breaks at first', async () => {
    const stub = await rig.openChannel('replicateImage');
    const taskId = await unanswered(stub);
    await rig.ageUncertain(taskId);
    await rig.until(taskId, (view) => view.status === 'failed');
    const { id: dispatchId } = await lastDispatch(taskId);
    const webhook = webhookUrl(rig.deps, { channelId: stub.channelId, dispatchId });
    stub.list = [{ json: { results: [{ id: 'p1', webhook }], next: null } }];
    stub.poll = [said('succeeded', { output: [stub.fileUrl('a'), stub.fileUrl('b')] })];
    stub.file = [rig.fileOf('image'), { status: 503 }, rig.fileOf('image')];
    await rig.eventually(async () => {
      await rig.t.sql`
        update dispatches set next_watch_at = now()
        where id = ${dispatchId} and next_watch_at is not null and lease_until is null`;
      await rig.knock();
      return (await rig.view(taskId)).outputs.length === 2;
    });
    expect(await rig.view(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
  });
});
