import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providerChannels, providerKeys } from '#server/db/schema/index.ts';
import { readAttention } from '#server/generation/read-attention.ts';
import { webhookUrl } from '#server/generation/webhooks/webhook-url.ts';
import { newId } from '#server/lib/ids.ts';
import { keyHint } from '#server/providers/channels/secrets.ts';
import { createModel } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { errorHandler } from './error-handler.ts';
import { createWebhooksRouter } from './webhooks.ts';

/** Deliveries of upstreams over real HTTP: the sandbox reports, or a test plays somebody who pretends to be it. */

const PAUSE_BETWEEN_POLLS_MS = 3_600_000;

let rig: Rig;
let origin: string;
let close: () => Promise<void>;
let secret: string;
let channelId: string;
let model: string;

beforeAll(async () => {
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Between two polls lies an hour: what ends sooner was brought on by a delivery.
  rig = await createRig({
    config: { publicOrigin: origin, pollFirstMs: PAUSE_BETWEEN_POLLS_MS, pollCapMs: PAUSE_BETWEEN_POLLS_MS },
  });
  app.use(
    createWebhooksRouter({
      deps: rig.deps,
      executor: rig.executor,
      limits: { consume: async () => {}, reset: async () => {}, close: () => {} },
    }),
  );
  app.use(errorHandler(rig.deps.logger));
  close = () => new Promise((resolve) => server.close(() => resolve()));
  secret = await readSecret();
  channelId = await addChannel();
  model = (
    await createModel(rig.db, {
      channelId,
      kind: 'image',
      endpoint: 'image',
      upstreamModel: 'lab/picture',
      price: { unit: 'call', credits: 3 },
    })
  ).slug;
});
afterAll(async () => {
  await rig.close();
  await close();
});

async function readSecret(): Promise<string> {
  const answer = await fetch(`${rig.sandbox.url}/replicate/v1/webhooks/default/secret`, {
    headers: { authorization: `Bearer ${rig.sandbox.apiKey}` },
  });
  return ((await answer.json()) as { key: string }).key;
}

async function addChannel(): Promise<string> {
  const id = newId();
  await rig.db.insert(providerChannels).values({
    id,
    name: 'Replicate',
    protocol: 'replicate',
    baseUrl: `${rig.sandbox.url}/replicate/v1`,
    webhookSecret: rig.deps.keyRing.seal(secret, `webhook:${id}`),
  });
  await rig.db.insert(providerKeys).values({
    id: newId(),
    channelId: id,
    ...rig.deps.keyRing.seal(rig.sandbox.apiKey, id),
    hint: keyHint(rig.sandbox.apiKey),
  });
  return id;
}

const submit = (prompt: string) => rig.submit('image', { model, prompt });
const inbox = (taskId: string) => rig.t.sql`
  select w.status, w.verified, w.deliveries from webhook_inbox w
  join dispatches d on d.id = w.dispatch_id where d.task_id = ${taskId}`;
const dispatchOf = async (taskId: string) => {
  const [row] = await rig.t.sql<{ id: string; upstream_id: string | null }[]>`
    select id, upstream_id from dispatches where task_id = ${taskId} order by number desc limit 1`;
  if (!row) throw new Error('There is no dispatch yet');
  return row;
};

/** A delivery as the vendor would send it; the parts that a forger gets wrong can be replaced. */
function post(
  body: string,
  more: { query?: string; key?: string; at?: Date; id?: string; sent?: string } = {},
) {
  const id = more.id ?? `msg_${newId()}`;
  const timestamp = String(Math.floor((more.at ?? new Date()).getTime() / 1000));
  const key = Buffer.from((more.key ?? secret).replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return fetch(`${origin}/webhooks/${channelId}${more.query ?? ''}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body: more.sent ?? body,
  });
}

it('a delivery brings the result into storage long before the next poll would', async () => {
  const taskId = await submit('a harbour');
  await rig.runToEnd(taskId);
  expect(await rig.view(taskId)).toMatchObject({ status: 'succeeded' });
  expect(await inbox(taskId)).toEqual([{ status: 'matched', verified: true, deliveries: 1 }]);
  expect((await rig.creates(taskId)).map((create) => create.recorded)).toEqual([1]);
  expect(await rig.audit()).toEqual([]);
});

it('B64 the same delivery ten times is one row and one result', async () => {
  const taskId = await submit('a buoy [[webhook_duplicate:10]]');
  await rig.runToEnd(taskId);
  expect(await rig.view(taskId)).toMatchObject({ status: 'succeeded' });
  await expect.poll(async () => (await inbox(taskId))[0]?.deliveries, { timeout: 60_000 }).toBe(10);
  expect(await inbox(taskId)).toHaveLength(1);
  expect((await rig.view(taskId)).money).toMatchObject({ state: 'charged', chargedCredits: 3 });
});

it('the lost answer of a create is found by the delivery that names our dispatch', async () => {
  const taskId = await submit('a lost buoy [[drop_after_accept]] [[delay:3600000]]');
  await rig.runUntil(taskId, (view) => view.status === 'uncertain');
  await rig.sandbox.control.release();
  expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'succeeded' });
  const [row] = await rig.t.sql`select outcome, evidence_from from dispatches where task_id = ${taskId}`;
  expect(row).toEqual({ outcome: 'accepted', evidence_from: 'webhook' });
  expect((await rig.creates(taskId)).map((create) => create.received)).toEqual([1]);
});

describe('B64 what is not the vendor’s word', () => {
  /** A running task that nobody will look at for an hour. */
  const runningTask = async () => {
    const taskId = await submit('a mast [[stuck:50]] [[webhook_none]]');
    rig.executor.kick([taskId]);
    await expect.poll(async () => (await rig.view(taskId)).status, { timeout: 60_000 }).toBe('running');
    return { taskId, ...(await dispatchOf(taskId)) };
  };
  const success = (id: string | null) =>
    JSON.stringify({ id, status: 'succeeded', output: ['http://attacker.example/a.png'] });
  const polls = async (taskId: string) =>
    (await rig.t.sql`select poll_count, wake_seq from generation_tasks where id = ${taskId}`)[0];

  it.each([
    ['a wrong key', (body: string) => post(body, { key: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })],
    ['a body that was written anew', (body: string) => post(body, { sent: `${body} ` })],
    ['an hour-old timestamp', (body: string) => post(body, { at: new Date(Date.now() - 3_600_000) })],
    ['no signature', (body: string) => fetch(`${origin}/webhooks/${channelId}`, { method: 'POST', body })],
  ])('%s is refused and changes nothing', async (_name, send) => {
    const { taskId, upstream_id } = await runningTask();
    const before = await polls(taskId);
    const answer = await send(success(upstream_id));
    expect(answer.status).toBe(401);
    expect(await polls(taskId)).toEqual(before);
    expect((await rig.view(taskId)).status).toBe('running');
  });

  it('the vendor’s own word is polled, never believed: an attacker’s address is not fetched', async () => {
    const { taskId, upstream_id } = await runningTask();
    expect((await post(success(upstream_id))).status).toBe(200);
    await expect.poll(async () => (await polls(taskId))?.poll_count, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(await rig.view(taskId)).toMatchObject({ status: 'running', outputs: [] });
  });

  it('a failure after the end changes nothing', async () => {
    const taskId = await submit('a keel');
    await rig.runToEnd(taskId);
    // Without what changes by itself after the end: previews are made in the background.
    const facts = async () => {
      const { status, failure, money, finishedAt, outputs } = await rig.view(taskId);
      return { status, failure, money, finishedAt, outputs: outputs.map(({ id }) => id) };
    };
    const before = await facts();
    const { upstream_id } = await dispatchOf(taskId);
    await post(JSON.stringify({ id: upstream_id, status: 'failed', error: 'late' }));
    for (let knocks = 0; knocks < 3; knocks += 1) await rig.knock();
    expect(await facts()).toEqual(before);
  });

  it('an unknown job is kept, and found when its id arrives', async () => {
    const { taskId, id, upstream_id } = await runningTask();
    await rig.t.sql`delete from webhook_inbox`;
    // As if the delivery had come before the create's answer was saved.
    await rig.t.sql`
      insert into webhook_inbox (id, channel_id, dedupe_key, status, verified, upstream_id, body, headers)
      values (${newId()}, ${channelId}, 'early', 'pending', true, ${upstream_id}, '', '{}')`;
    expect((await post(JSON.stringify({ id: 'nobody-knows', status: 'succeeded' }))).status).toBe(200);
    const { replayPending } = await import('#server/generation/webhooks/replay-pending.ts');
    const before = await polls(taskId);
    await replayPending(rig.deps, { id, taskId, channelId, upstreamId: upstream_id });
    expect(await rig.t.sql`select dedupe_key, status from webhook_inbox order by dedupe_key`).toMatchObject([
      { dedupe_key: 'early', status: 'matched' },
      { status: 'pending' },
    ]);
    expect(Number((await polls(taskId))?.wake_seq)).toBeGreaterThan(Number(before?.wake_seq));
  });

  it('only our own signed address makes a delivery evidence of a job that nobody knows', async () => {
    const taskId = await submit('a lost mast [[drop_before_accept]]');
    await rig.runUntil(taskId, (view) => view.status === 'uncertain');
    await rig.t.sql`update generation_tasks set next_poll_at = now() + interval '1 day' where id = ${taskId}`;
    const waiting = (await readAttention(rig.deps)).uncertain.find((row) => row.taskId === taskId);
    expect(waiting).toMatchObject({ mayReport: true, isLookedUp: true });
    const { id } = await dispatchOf(taskId);
    const ours = new URL(webhookUrl(rig.deps, { channelId, dispatchId: id }) ?? '');
    const wrong = new URL(ours);
    wrong.searchParams.set('sig', 'AAAA');
    // A genuine body of another job, sent to this dispatch's address.
    const body = JSON.stringify({ id: 'another', status: 'succeeded' });
    expect((await post(body, { query: wrong.search })).status).toBe(200);
    const outcome = async () =>
      (await rig.t.sql`select outcome, upstream_id from dispatches where id = ${id}`)[0];
    expect(await outcome()).toEqual({ outcome: null, upstream_id: null });
    expect((await post(body, { query: ours.search })).status).toBe(200);
    expect(await outcome()).toEqual({ outcome: 'accepted', upstream_id: 'another' });
  });
});

it('an address that does not exist says so', async () => {
  const unknown = await fetch(`${origin}/webhooks/${newId()}`, { method: 'POST', body: '{}' });
  expect(unknown.status).toBe(404);
  const malformed = await fetch(`${origin}/webhooks/nope`, { method: 'POST', body: '{}' });
  expect(malformed.status).toBe(404);
});
