import { createHash, createHmac, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectControl } from './control-client.ts';
import { at, DRIVERS, speak } from './formats/test-drivers.ts';
import { startTestSandbox, type TestSandbox } from './test-client.ts';

/** Messages to webhooks: what arrives, how it is signed, and how it goes wrong. */

type Received = {
  headers: IncomingHttpHeaders;
  body: string;
  json: unknown;
  /** Whether the create had been answered when the message came. */
  afterAnswer: boolean;
};

let sandbox: TestSandbox;
let receiver: Server;
let hook = '';
let received: Received[] = [];
/** What the receiver answers next; 200 when empty. */
let answers: number[] = [];

beforeAll(async () => {
  sandbox = await startTestSandbox();
  receiver = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const creates = await sandbox.control.requests({ call: 'create' });
      const afterAnswer = creates.every((entry) => entry.finished);
      received.push({ headers: req.headers, body, json: JSON.parse(body), afterAnswer });
      res.writeHead(answers.shift() ?? 200).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  await sandbox.close();
  receiver.close();
});
beforeEach(async () => {
  await sandbox.control.reset();
  received = [];
  answers = [];
});

/** Seconds in which a careful receiver believes a time stamp. */
const TOLERANCE = 300;

/** Whether a message carries the mark of Standard Webhooks, by the secret that the vendor gives out. */
async function isStandard({ headers, body }: Received): Promise<boolean> {
  const answer = await sandbox.call('GET', '/replicate/v1/webhooks/default/secret');
  const key = Buffer.from(String(at(await answer.json(), 'key')).replace('whsec_', ''), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

/** Whether a message is signed with a key of fal's list. */
async function isFals({ headers, body }: Received): Promise<boolean> {
  const list = await fetch(`${sandbox.url}/fal/.well-known/jwks.json`);
  const { keys } = (await list.json()) as { keys: JsonWebKey[] };
  const hash = createHash('sha256').update(body).digest('hex');
  const text = ['request-id', 'user-id', 'timestamp']
    .map((name) => headers[`x-fal-webhook-${name}`])
    .concat(hash)
    .join('\n');
  const signature = Buffer.from(String(headers['x-fal-webhook-signature'] ?? ''), 'hex');
  return keys.some((key) =>
    verify(null, Buffer.from(text), createPublicKey({ key, format: 'jwk' }), signature),
  );
}

const VENDORS = [
  {
    name: 'replicate',
    driver: DRIVERS.replicate,
    isSigned: isStandard,
    timestamp: 'webhook-timestamp',
    events: ['start', 'logs', 'output', 'completed'],
    statusOf: (json: unknown) => at(json, 'status'),
    success: 'succeeded',
    failure: 'failed',
    idOf: (json: unknown) => at(json, 'id'),
  },
  {
    name: 'fal',
    driver: DRIVERS.fal,
    isSigned: isFals,
    timestamp: 'x-fal-webhook-timestamp',
    events: ['completed'],
    statusOf: (json: unknown) => at(json, 'status'),
    success: 'OK',
    failure: 'ERROR',
    idOf: (json: unknown) => at(json, 'request_id'),
  },
] as const;

const HEADERS = { 'idempotency-key': 'ref' };

describe.each(VENDORS)('$name', (vendor) => {
  const { driver, statusOf } = vendor;
  const order = async (prompt = 'a fox') => {
    const response = await driver.create(sandbox, { prompt, webhook: hook, headers: HEADERS });
    return String(driver.idOf(await response.json()));
  };
  const ended = (options?: { atLeast: number }) =>
    sandbox.control.waitForDeliveries({ clientRef: 'ref', event: 'completed' }, options);
  const age = ({ headers }: Received) => Date.now() / 1_000 - Number(headers[vendor.timestamp]);
  /** The messages that say how it ended, as they came. */
  const endings = () => received.slice(vendor.events.length - 1);

  test('is told in order, with signatures that hold, after the create is answered', async () => {
    const id = await order();
    await ended();
    const log = await sandbox.control.deliveries({ jobId: id });
    expect(log.map((delivery) => delivery.event)).toEqual(vendor.events);
    for (const delivery of log) {
      expect(delivery).toMatchObject({
        format: vendor.name,
        clientRef: 'ref',
        url: hook,
        fault: null,
        delivered: true,
        tries: [{ status: 200, error: null }],
      });
    }
    expect(received.map((message) => message.body)).toEqual(log.map((delivery) => delivery.body));
    for (const message of received) {
      expect(await vendor.isSigned(message)).toBe(true);
      expect(vendor.idOf(message.json)).toBe(id);
      expect(message.afterAnswer).toBe(true);
      expect(Math.abs(age(message))).toBeLessThan(TOLERANCE);
    }
    expect(endings().map(({ json }) => statusOf(json))).toEqual([vendor.success]);
    const urls = received.at(-1)?.body.match(/http[^"]+\/files\/[^"]+/g) ?? [];
    expect(urls.length).toBe(driver.outputs);
    expect((await fetch(urls[0] ?? '')).headers.get('content-type')).toBe('image/png');
  });

  test('hears of a failure, of a cancel, and of a success that comes after a failure', async () => {
    await order('a fox [[fail:out_of_memory,No memory was left.]]');
    await ended();
    expect(received.map(({ json }) => statusOf(json)).at(-1)).toBe(vendor.failure);
    expect(received.at(-1)?.body).toContain('No memory was left.');

    const cancelled = await order('long [[delay:1000000]]');
    await driver.cancel?.(sandbox, cancelled);
    await sandbox.control.waitForDeliveries({ jobId: cancelled, event: 'completed' });
    expect(received.at(-1)?.body).toMatch(/"canceled"|Request was cancelled/);

    const late = await order('a fox [[late_success]]');
    await sandbox.control.waitForDeliveries({ jobId: late, event: 'completed' });
    await sandbox.control.release({ jobId: late });
    const told = await sandbox.control.waitForDeliveries({ jobId: late, event: 'completed' }, { atLeast: 2 });
    expect(told.map(({ body }) => statusOf(JSON.parse(body)))).toEqual([vendor.failure, vendor.success]);
  });

  test('webhook_duplicate: the same bytes and signature again and again', async () => {
    await order('a fox [[webhook_duplicate:10]]');
    const log = await ended({ atLeast: 10 });
    expect(log).toHaveLength(10);
    const last = received.slice(-10);
    expect(new Set(last.map(({ body }) => body)).size).toBe(1);
    for (const message of last) expect(await vendor.isSigned(message)).toBe(true);
    expect(new Set(last.map(({ headers }) => headers[vendor.timestamp])).size).toBe(1);
  });

  test('webhook_early: the end is told before the create is answered', async () => {
    await sandbox.control.configure({ delays: { image: 1_000_000 } });
    const id = await order('a fox [[webhook_early]]');
    const early = endings()[0];
    expect(early).toMatchObject({ afterAnswer: false });
    expect([statusOf(early?.json), vendor.idOf(early?.json)]).toEqual([vendor.success, id]);
    expect(await sandbox.control.deliveries({ jobId: id })).toHaveLength(vendor.events.length);
  });

  test('webhook_early, and the create is never answered', async () => {
    const lost = order('a fox [[webhook_early]][[drop_after_accept]]');
    await expect(lost).rejects.toThrow();
    expect(endings().map(({ json }) => statusOf(json))).toEqual([vendor.success]);
    expect(await sandbox.control.createsOf('ref')).toMatchObject({ received: 1, recorded: 1 });
  });

  test('a create that hangs does not hold the webhook back', async () => {
    const answer = order('a fox [[hang]]');
    await ended();
    expect(received.at(-1)).toMatchObject({ afterAnswer: false });
    await sandbox.control.release();
    expect(await answer).toBe(vendor.idOf(received.at(-1)?.json));
  });

  test('webhook_forged: with another key, and nothing genuine', async () => {
    await order('a fox [[webhook_forged]]');
    expect(await ended()).toMatchObject([{ fault: 'webhook_forged', delivered: true }]);
    for (const message of received) {
      expect(message.headers[vendor.timestamp]).toBeDefined();
      expect(await vendor.isSigned(message)).toBe(false);
    }
    expect(received).toHaveLength(vendor.events.length);
  });

  test('webhook_forged: changed after signing, then the genuine one', async () => {
    await order('a fox [[webhook_forged:body,genuine=true]]');
    await ended({ atLeast: 2 });
    const [forged, genuine] = received.slice(-2);
    if (!forged || !genuine) throw new Error('There are not two messages.');
    expect(forged.body).toContain('http://attacker.invalid/files/');
    expect([await vendor.isSigned(forged), await vendor.isSigned(genuine)]).toEqual([false, true]);
    expect({ ...forged.headers, 'content-length': '' }).toEqual({ ...genuine.headers, 'content-length': '' });
  });

  test('webhook_forged: without any signature', async () => {
    await order('a fox [[webhook_forged:unsigned]]');
    await ended();
    const names = received.flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((name) => name.includes('webhook'))).toEqual([]);
    expect(received.at(-1)?.body).toContain('attacker.invalid');
  });

  test('webhook_old: rightly signed an hour ago', async () => {
    await order('a fox [[webhook_old]]');
    await ended();
    for (const message of received) {
      expect(await vendor.isSigned(message)).toBe(true);
      expect(age(message)).toBeGreaterThan(3_600 - TOLERANCE);
    }
  });

  test('webhook_none: the job ends and nothing is sent', async () => {
    const silent = await order('a fox [[webhook_none]]');
    await speak(() => sandbox, driver).made(silent);
    // One that is told later shows that the first had its chance.
    const told = await order('a fox');
    await sandbox.control.waitForDeliveries({ jobId: told, event: 'completed' });
    expect(await sandbox.control.deliveries({ jobId: silent })).toEqual([]);
    expect(received.map(({ json }) => vendor.idOf(json))).not.toContain(silent);
  });

  test('webhook_contradict: after the end, one that says it failed', async () => {
    await order('a fox [[webhook_contradict]]');
    await ended({ atLeast: 2 });
    expect(endings().map(({ json }) => statusOf(json))).toEqual([vendor.success, vendor.failure]);
    for (const message of received) expect(await vendor.isSigned(message)).toBe(true);
  });

  test('a receiver that is not well gets three tries', async () => {
    const told = (statuses: number[]) => {
      answers = statuses;
      return order();
    };
    const last = async (jobId: string) =>
      (await sandbox.control.waitForDeliveries({ jobId, event: 'completed' })).at(-1);
    const before = vendor.events.slice(0, -1).map(() => 200);
    expect(await last(await told([...before, 500, 302, 204]))).toMatchObject({
      delivered: true,
      tries: [{ status: 500 }, { status: 302 }, { status: 204 }],
    });
    expect(await last(await told([...before, 503, 503, 503, 503]))).toMatchObject({
      delivered: false,
      finished: true,
      tries: [{ status: 503 }, { status: 503 }, { status: 503 }],
    });
  });

  test('a receiver that is not there is a failure in the log', async () => {
    const response = await driver.create(sandbox, {
      prompt: 'a fox',
      webhook: 'http://127.0.0.1:1/hook',
      headers: HEADERS,
    });
    expect(response.ok).toBe(true);
    const [delivery] = await ended();
    expect(delivery).toMatchObject({ delivered: false });
    expect(delivery?.tries).toHaveLength(3);
    expect(delivery?.tries[0]).toMatchObject({
      status: null,
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

test('replicate sends only the events that were asked for', async () => {
  const path = '/replicate/v1/models/acme/painter/predictions';
  const input = { prompt: 'a fox', width: 96, height: 64 };
  const body = { input, webhook: hook, webhook_events_filter: ['completed'] };
  const id = String(at(await (await sandbox.call('POST', path, { body })).json(), 'id'));
  await sandbox.control.waitForDeliveries({ jobId: id });
  expect((await sandbox.control.deliveries()).map((delivery) => delivery.event)).toEqual(['completed']);
  const list = await (await sandbox.call('GET', '/replicate/v1/predictions')).json();
  expect(at(list, 'results.0')).toMatchObject({ webhook: hook, webhook_events_filter: ['completed'] });
});

test.each([DRIVERS.midjourney, DRIVERS.suno])('$name tells its hook without a signature', async (driver) => {
  const answer = await driver.create(sandbox, { prompt: 'a fox', webhook: hook, headers: HEADERS });
  const id = String(driver.idOf(await answer.json()));
  await sandbox.control.waitForDeliveries({ jobId: id, event: 'end' });
  expect(received.map(({ body }) => body.includes(id))).toEqual([true, true]);
  const names = received.flatMap(({ headers }) => Object.keys(headers));
  expect(names.filter((name) => /signature|webhook/.test(name))).toEqual([]);
  expect(received.at(-1)?.body).toContain('"SUCCESS"');
});

test('numeric ids are numbers to webhooks too', async () => {
  await sandbox.control.addRules({ match: { any: true }, behaviours: [{ type: 'numeric_id' }] });
  await DRIVERS.fal.create(sandbox, { prompt: 'a fox', webhook: hook, headers: HEADERS });
  await sandbox.control.waitForDeliveries({ clientRef: 'ref' });
  expect(received[0]?.body).toContain('"request_id":9007199254740993,');
});

test('the log is read over HTTP as well, and forgotten by a reset, which also ends what is under way', async () => {
  const control = connectControl(sandbox.url);
  await DRIVERS.fal.create(sandbox, { prompt: 'a fox', webhook: hook, headers: HEADERS });
  const [delivery] = await control.waitForDeliveries({ clientRef: 'ref' });
  expect(await control.deliveries({ clientRef: 'ref' })).toEqual([delivery]);
  expect(await control.deliveries({ clientRef: 'other' })).toEqual([]);
  await expect(control.waitForDeliveries({ clientRef: 'other' }, { timeoutMs: 20 })).rejects.toThrow(
    '0 of 1',
  );

  // Had it lived on, the first would have been told before the second.
  const slow = 'a fox [[delay:100]]';
  const headers = { 'idempotency-key': 'forgotten' };
  const forgotten = await DRIVERS.fal.create(sandbox, { prompt: slow, webhook: hook, headers });
  const id = String(DRIVERS.fal.idOf(await forgotten.json()));
  await control.reset();
  expect(await control.deliveries()).toEqual([]);
  await DRIVERS.fal.create(sandbox, { prompt: slow, webhook: hook, headers: HEADERS });
  await control.waitForDeliveries({ clientRef: 'ref' });
  expect(received.map(({ body }) => body.includes(id))).toEqual([false, false]);
});
