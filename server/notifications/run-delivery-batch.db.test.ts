import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { cancelTask } from '#server/generation/cancel-task.ts';
import { verifyStandardWebhook } from '#server/providers/standard-webhooks.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  rotateSecret,
  sendTest,
  viewEndpoint,
} from './manage-endpoints.ts';
import { readAllDeliveries, readDeliveries } from './read-deliveries.ts';
import { readNotifications } from './read-notifications.ts';
import { resendAsOperator, resendDelivery } from './resend-delivery.ts';
import { runDeliveryBatch } from './run-delivery-batch.ts';
import { MOST_ATTEMPTS, WEBHOOK_EVENTS } from './schemas.ts';

type Got = { path: string; headers: Record<string, string>; body: string };
type Answer = { status: number; body?: string; headers?: Record<string, string> } | 'never';

/** People's own servers, by path. */
let receiver: Server;
let origin: string;
const got: Got[] = [];
let answers: Record<string, Answer> = {};
const waiting: (() => void)[] = [];
let rig: Rig;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const path = request.url ?? '';
    got.push({ path, headers: request.headers as Record<string, string>, body: await textOf(request) });
    const answer = answers[path] ?? { status: 200, body: 'thanks' };
    if (answer === 'never') {
      waiting.push(() => response.end());
      return;
    }
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  origin = `http://${host}`;
  rig = await createRig({ eventHosts: [host] });
});
afterAll(async () => {
  await rig.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});
beforeEach(() => {
  answers = {};
  got.length = 0;
});
afterEach(async () => {
  setCrashHandler(undefined);
  for (const end of waiting.splice(0)) end();
  // What a case has left pending is no matter of the next one.
  await rig.t
    .sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, finished_at = now(),
    lease_until = null, leased_by = null where status = 'pending'`;
});

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

const run = (signal?: AbortSignal) => runDeliveryBatch(rig.deps, { limit: 100, workerId: null, signal });

/** A person with an endpoint, and a task of theirs that has ended: one delivery is due. */
async function someone(path: string, tasks = 1) {
  const user = await createUser(rig.db);
  const { endpoint, secret } = await createEndpoint(rig.deps, {
    userId: user.id,
    url: `${origin}${path}`,
    description: 'own server',
    events: [...WEBHOOK_EVENTS],
  });
  for (let n = 0; n < tasks; n += 1) {
    const taskId = await rig.submit('image', { userId: user.id });
    await cancelTask(rig.deps, { userId: user.id, taskId });
  }
  const own = { userId: user.id, endpointId: endpoint.id };
  return {
    user,
    own,
    secret,
    log: async () => (await readDeliveries(rig.deps, { ...own, limit: 50 })).items,
    dueNow: () => rig.t.sql`update webhook_deliveries set next_attempt_at = now()
      where endpoint_id = ${endpoint.id} and status = 'pending'`,
  };
}

const believed = (each: Got | undefined, secret: string) =>
  each &&
  verifyStandardWebhook({
    headers: each.headers,
    rawBody: Buffer.from(each.body),
    secret,
    now: new Date(),
  });

it('sends a signed event once, logs the answer without secrets, and tells nothing of the prompt', async () => {
  const one = await someone('/ok');
  answers['/ok'] = { status: 202, body: `token: sk-${'a'.repeat(30)} ${'x'.repeat(5_000)}` };
  expect(await run()).toMatchObject({ claimed: 1, delivered: 1, retried: 0, failed: 0, nextDueAt: null });
  expect(await run()).toMatchObject({ claimed: 0 });
  expect(got).toHaveLength(1);
  expect(believed(got[0], one.secret)).toMatchObject({ ok: true });
  expect(got[0]?.headers['content-type']).toBe('application/json');
  expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ type: 'task.cancelled', data: { kind: 'image' } });
  expect(got[0]?.body).not.toContain('quiet harbour');
  const [delivery] = await one.log();
  expect(delivery).toMatchObject({
    id: got[0]?.headers['webhook-id'],
    status: 'delivered',
    lastStatusCode: 202,
    attempts: [{ number: 1, statusCode: 202, error: null }],
  });
  const answer = delivery?.attempts[0]?.answer ?? '';
  expect(answer.length).toBeLessThanOrEqual(1_000);
  expect(answer).toContain('[redacted]');
  expect(await viewEndpoint(rig.deps, one.own)).toMatchObject({ lastSuccessAt: expect.any(Date) });
});

it('tries again later under the same id, with a signature of its own, until it is taken', async () => {
  const one = await someone('/late');
  answers['/late'] = { status: 503, body: 'busy', headers: { 'retry-after': '7200' } };
  const { nextDueAt } = await run();
  const [{ at: dueInSeconds } = { at: 0 }] = await rig.t.sql<{ at: number }[]>`
    select extract(epoch from next_attempt_at - now())::float8 as at from webhook_deliveries
    where endpoint_id = ${one.own.endpointId}`;
  expect(dueInSeconds).toBeGreaterThan(7_000);
  expect(nextDueAt?.getTime()).toBeGreaterThan(Date.now() + 3_600_000);
  expect(await run()).toMatchObject({ claimed: 0 });
  answers['/late'] = { status: 302, headers: { location: `${origin}/elsewhere` } };
  await one.dueNow();
  expect(await run()).toMatchObject({ retried: 1 });
  answers = {};
  await one.dueNow();
  expect(await run()).toMatchObject({ delivered: 1 });
  expect(got.map(({ path }) => path)).toEqual(['/late', '/late', '/late']);
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(got.map(({ body }) => body)).size).toBe(1);
  for (const each of got) expect(believed(each, one.secret)).toMatchObject({ ok: true });
  const [delivery] = await one.log();
  expect(delivery?.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 302, 200]);
  expect(delivery?.attempts[1]?.error).toContain('redirects are not followed');
});

it('gives an event up after its tries, and the endpoint when that goes on for days; its owner is told once', async () => {
  const one = await someone('/dead', 4);
  answers['/dead'] = { status: 500 };
  await rig.t
    .sql`update webhook_deliveries set attempts = ${MOST_ATTEMPTS - 1} where endpoint_id = ${one.own.endpointId}`;
  expect(await run()).toMatchObject({ failed: 4 });
  // Four events were lost, but within a moment.
  expect(await viewEndpoint(rig.deps, one.own)).toMatchObject({ state: 'enabled' });
  await rig.t
    .sql`update webhook_endpoints set created_at = now() - interval '4 days' where id = ${one.own.endpointId}`;
  const [lost] = await one.log();
  await resendDelivery(rig.deps, { userId: one.user.id, deliveryId: lost?.id ?? '' });
  expect(await run()).toMatchObject({ failed: 1 });
  expect(await viewEndpoint(rig.deps, one.own)).toMatchObject({ state: 'failing', enabled: false });
  const told = await readNotifications(rig.deps, {
    userId: one.user.id,
    unreadOnly: true,
    limit: 1,
  });
  expect(told.items[0]).toMatchObject({ type: 'webhook.disabled', data: { reason: 'failing' } });
  await expect(sendTest(rig.deps, one.own)).rejects.toMatchObject({ code: 'conflict' });
  // Switched on again it begins anew.
  await changeEndpoint(rig.deps, {
    ...one.own,
    url: `${origin}/alive`,
    description: '',
    events: ['task.failed'],
    enabled: true,
  });
  await resendDelivery(rig.deps, { userId: one.user.id, deliveryId: lost?.id ?? '' });
  expect(await run()).toMatchObject({ delivered: 1 });
  expect(got.at(-1)).toMatchObject({ path: '/alive', headers: { 'webhook-id': lost?.id } });
  const again = (await one.log()).find(({ id }) => id === lost?.id);
  expect(again?.attempts.map(({ number }) => number)).toEqual([12, 13, 14]);
});

it('410 ends the endpoint at once, and what was still to be sent is not', async () => {
  const one = await someone('/gone', 6);
  answers['/gone'] = { status: 410 };
  const result = await run();
  expect(result.failed).toBe(6);
  expect(got.length).toBeLessThan(6);
  expect(await viewEndpoint(rig.deps, one.own)).toMatchObject({ state: 'gone' });
  const told = await readNotifications(rig.deps, { userId: one.user.id, unreadOnly: false, limit: 50 });
  expect(told.items.filter(({ type }) => type === 'webhook.disabled')).toHaveLength(1);
  expect((await one.log()).some(({ lastError }) => lastError === 'The endpoint is switched off.')).toBe(true);
});

it('an account that is disabled, and an endpoint that was removed, are sent nothing', async () => {
  const disabled = await someone('/disabled');
  await rig.t.sql`update users set disabled_at = now() where id = ${disabled.user.id}`;
  const removed = await someone('/removed');
  await deleteEndpoint(rig.deps, removed.own);
  expect(await run()).toMatchObject({ claimed: 2, failed: 2 });
  expect(got).toEqual([]);
  expect((await disabled.log())[0]).toMatchObject({ lastError: 'The account is disabled.', attempts: [] });
});

it('what was sent but not recorded is sent again under the same id: at least once', async () => {
  const one = await someone('/twice');
  setCrashHandler((name) => {
    if (name === 'delivery.after-row') throw new Error('killed on purpose');
  });
  expect(await run()).toMatchObject({ lost: 1, delivered: 0 });
  setCrashHandler(undefined);
  expect(await run()).toMatchObject({ claimed: 0 });
  await rig.t.sql`update webhook_deliveries set lease_until = now() - interval '1 second'
    where endpoint_id = ${one.own.endpointId}`;
  expect(await run()).toMatchObject({ delivered: 1 });
  expect(got.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill((await one.log())[0]?.id));
  expect((await one.log())[0]?.attempts).toHaveLength(1);
});

it('who lost the lease writes nothing', async () => {
  const one = await someone('/slow');
  setCrashHandler(async (name) => {
    if (name !== 'delivery.after-send') return;
    await rig.t.sql`update webhook_deliveries set lease_token = lease_token + 1
      where endpoint_id = ${one.own.endpointId}`;
  });
  expect(await run()).toMatchObject({ lost: 1, delivered: 0 });
  expect((await one.log())[0]).toMatchObject({ status: 'pending', attempts: [] });
});

it('endpoints that never answer hold their own places and nobody else’s; a drain gives them back', async () => {
  answers['/silent'] = 'never';
  const silent = await someone('/silent', 12);
  const others = [await someone('/a', 3), await someone('/b', 3)];
  const stop = new AbortController();
  const turn = run(stop.signal);
  for (const one of others) {
    await expect
      .poll(async () => (await one.log()).map(({ status }) => status), { timeout: 30_000 })
      .toEqual(['delivered', 'delivered', 'delivered']);
  }
  expect(got.filter(({ path }) => path === '/silent')).toHaveLength(4);
  // No connection of the pool and no transaction is held while they are silent.
  const idle = () => rig.t.sql`
    select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;
  await expect.poll(async () => (await idle()).length).toBe(0);
  stop.abort();
  expect(await turn).toMatchObject({ delivered: 6, retried: 4 });
  const rows = await rig.t.sql`select status, attempts, lease_until from webhook_deliveries
    where endpoint_id = ${silent.own.endpointId}`;
  for (const row of rows) expect(row).toEqual({ status: 'pending', attempts: 0, lease_until: null });
});

it('two turns at once send each event once', async () => {
  const one = await someone('/ok', 12);
  const [first, second] = await Promise.all([run(), run()]);
  expect(first.delivered + second.delivered).toBe(12);
  expect(got).toHaveLength(12);
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(12);
  expect((await one.log()).every(({ status }) => status === 'delivered')).toBe(true);
});

it('addresses of the own network are refused when they are entered, and when a name leads there later', async () => {
  const one = await someone('/ok', 0);
  const input = { userId: one.user.id, description: '', events: ['task.failed' as const] };
  for (const url of [
    'http://127.0.0.1:9/hook',
    'http://169.254.169.254/latest/meta-data',
    'https://localhost/hook',
    'https://10.0.0.7/hook',
    'file:///etc/passwd',
    'https://user:secret@example.com/hook',
    '/relative',
  ]) {
    await expect(createEndpoint(rig.deps, { ...input, url }), url).rejects.toMatchObject({
      code: 'bad_request',
      field: 'url',
    });
    await expect(
      changeEndpoint(rig.deps, { ...one.own, ...input, url, enabled: true }),
      url,
    ).rejects.toMatchObject({ code: 'bad_request' });
  }
  // As a row that came in before the rule did: the guard stands at the connection, too.
  await rig.t
    .sql`update webhook_endpoints set url = 'http://127.0.0.1:5432/hook' where id = ${one.own.endpointId}`;
  await sendTest(rig.deps, one.own);
  expect(await run()).toMatchObject({ failed: 1 });
  expect((await one.log())[0]).toMatchObject({
    eventType: 'test',
    status: 'failed',
    lastError: expect.stringContaining('not on the public Internet'),
  });
});

it('a new secret signs at once, the one before for a day more', async () => {
  const one = await someone('/ok', 0);
  const { secret } = await rotateSecret(rig.deps, one.own);
  expect(secret).not.toBe(one.secret);
  expect(await viewEndpoint(rig.deps, one.own)).toMatchObject({ rotatingUntil: expect.any(Date) });
  await sendTest(rig.deps, one.own);
  await run();
  expect([believed(got[0], secret), believed(got[0], one.secret)]).toMatchObject([
    { ok: true },
    { ok: true },
  ]);
  await rig.t.sql`update webhook_endpoints set previous_until = now() - interval '1 second'
    where id = ${one.own.endpointId}`;
  await sendTest(rig.deps, one.own);
  await run();
  expect([believed(got[1], secret), believed(got[1], one.secret)]).toMatchObject([
    { ok: true },
    { ok: false },
  ]);
  const stored = await rig.t.sql`select secret::text from webhook_endpoints where id = ${one.own.endpointId}`;
  expect(JSON.stringify(stored)).not.toContain(secret.slice('whsec_'.length));
});

it('nobody reads, tests or sends again what is another’s', async () => {
  const one = await someone('/ok');
  const stranger = await createUser(rig.db);
  const theirs = { ...one.own, userId: stranger.id };
  const [delivery] = await one.log();
  const calls = [
    () => viewEndpoint(rig.deps, theirs),
    () => readDeliveries(rig.deps, { ...theirs, limit: 5 }),
    () => rotateSecret(rig.deps, theirs),
    () => sendTest(rig.deps, theirs),
    () => deleteEndpoint(rig.deps, theirs),
    () => resendDelivery(rig.deps, { userId: stranger.id, deliveryId: delivery?.id ?? '' }),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'not_found' });
});

it('an administrator finds a delivery by its owner and sends it again, with a line in the audit log', async () => {
  const one = await someone('/ok');
  await run();
  const found = await readAllDeliveries(rig.deps, { user: one.user.email.toUpperCase(), limit: 5 });
  expect(found.items).toMatchObject([
    { status: 'delivered', user: { id: one.user.id }, endpoint: { state: 'enabled', isDeleted: false } },
  ]);
  expect(await readAllDeliveries(rig.deps, { user: 'nobody@example.com', limit: 5 })).toMatchObject({
    items: [],
  });
  const deliveryId = found.items[0]?.id ?? '';
  await resendAsOperator(rig.deps, { deliveryId, reason: 'asked for it', operatorId: rig.user.id });
  expect(await run()).toMatchObject({ delivered: 1 });
  expect(got.map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId, deliveryId]);
  expect(await rig.t.sql`select action, reason from audit_log where subject_id = ${deliveryId}`).toEqual([
    { action: 'webhook.resend', reason: 'asked for it' },
  ]);
});
