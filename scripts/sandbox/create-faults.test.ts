import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BehaviourInput } from './rules.ts';
import { eventually, startTestSandbox, type TestSandbox } from './test-client.ts';

/** Misbehaviour of creates, seen from the client and from the sandbox's own count. */

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

const next = (...behaviours: BehaviourInput[]) =>
  sandbox.control.addRules({ match: { any: true }, behaviours });
const counts = async (clientRef: string) => {
  const { received, recorded } = await sandbox.control.createsOf(clientRef);
  return { received, recorded };
};
const codeOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string } }).error.code;

describe('no job is recorded', () => {
  test('reject', async () => {
    await next({ type: 'reject', status: 402, code: 'insufficient_quota', message: 'No credit.' });
    const response = await sandbox.createVideo({}, 'ref');
    expect(response.status).toBe(402);
    expect(await codeOf(response)).toBe('insufficient_quota');
    expect(await counts('ref')).toEqual({ received: 1, recorded: 0 });
  });

  test('rate_limit, with Retry-After in seconds and as a date', async () => {
    await next({ type: 'rate_limit', retryAfterSeconds: 7 });
    const first = await sandbox.createImage({}, 'ref');
    expect(first.status).toBe(429);
    expect(first.headers.get('retry-after')).toBe('7');
    expect(await codeOf(first)).toBe('rate_limit_exceeded');
    await next({ type: 'rate_limit', retryAfterSeconds: 60, as: 'date' });
    const second = await sandbox.createImage({}, 'ref');
    const wait = Date.parse(second.headers.get('retry-after') ?? '') - Date.now();
    expect(wait).toBeGreaterThan(30_000);
    expect(wait).toBeLessThanOrEqual(60_000);
    expect((await sandbox.createImage({}, 'ref')).status).toBe(200);
    expect(await counts('ref')).toEqual({ received: 3, recorded: 1 });
  });

  test('rate_limit by a directive: as often as told per prompt, then passes, then starts over', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 6; index += 1) {
      statuses.push((await sandbox.createImage({ prompt: 'a fox [[rate_limit:1,times=2]]' })).status);
    }
    expect(statuses).toEqual([429, 429, 200, 429, 429, 200]);
  });

  test('drop_before_accept', async () => {
    await next({ type: 'drop_before_accept' });
    await expect(sandbox.createVideo({}, 'ref')).rejects.toThrow();
    expect(await counts('ref')).toEqual({ received: 1, recorded: 0 });
  });

  test('redirect of a create', async () => {
    await next({ type: 'redirect', on: 'create', to: '/elsewhere' });
    const response = await sandbox.createVideo({}, 'ref');
    expect([response.status, response.headers.get('location')]).toEqual([307, '/elsewhere']);
    expect(await counts('ref')).toEqual({ received: 1, recorded: 0 });
  });

  test('moderate and fail, for synchronous kinds', async () => {
    const moderated = await sandbox.createImage({ prompt: 'a fox [[moderate]]' }, 'ref');
    expect(moderated.status).toBe(400);
    expect(await codeOf(moderated)).toBe('moderation_blocked');
    const failed = await sandbox.createSpeech({ input: 'a fox [[fail]]' }, 'ref');
    expect(failed.status).toBe(400);
    expect(await codeOf(failed)).toBe('generation_failed');
    const early = await sandbox.createVideo({ prompt: '[[moderate:create]] fox' }, 'ref');
    expect(early.status).toBe(400);
    expect(await counts('ref')).toEqual({ received: 3, recorded: 0 });
  });

  test('raw without accept', async () => {
    await next({ type: 'raw', accept: false, body: '{"success":false,"message":"no quota"}' });
    const response = await sandbox.createVideo({}, 'ref');
    expect(await response.json()).toEqual({ success: false, message: 'no quota' });
    expect(await counts('ref')).toEqual({ received: 1, recorded: 0 });
  });
});

describe('the job is recorded, whatever the answer', () => {
  test('drop_after_accept', async () => {
    await next({ type: 'drop_after_accept' });
    await expect(sandbox.createVideo({}, 'ref')).rejects.toThrow();
    expect(await counts('ref')).toEqual({ received: 1, recorded: 1 });
  });

  test('reset on create', async () => {
    await next({ type: 'reset', on: 'create' });
    const failure = await sandbox.createImage({}, 'ref').catch((error: Error) => error.cause);
    expect(failure).toMatchObject({ code: 'ECONNRESET' });
    expect(await counts('ref')).toEqual({ received: 1, recorded: 1 });
  });

  test.each([502, 504] as const)('error_after_accept with %i and HTML', async (status) => {
    await next({ type: 'error_after_accept', status });
    const response = await sandbox.createVideo({}, 'ref');
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await counts('ref')).toEqual({ received: 1, recorded: 1 });
  });

  test('hang until released, and the answer is the ordinary one', async () => {
    await next({ type: 'hang' });
    let answered = false;
    const answer = sandbox.createImage({}, 'ref').then((response) => {
      answered = true;
      return response;
    });
    await sandbox.control.waitForRequests({ clientRef: 'ref', call: 'create' });
    await eventually(() => counts('ref')).toEqual({ received: 1, recorded: 1 });
    expect(answered).toBe(false);
    expect(await sandbox.control.release({ clientRef: 'ref' })).toBe(1);
    expect((await answer).status).toBe(200);
  });

  test('hang, then drop when released', async () => {
    await next({ type: 'hang' }, { type: 'drop_after_accept' });
    const answer = sandbox.createVideo({}, 'ref').catch((error: Error) => error.message);
    await eventually(() => counts('ref')).toEqual({ received: 1, recorded: 1 });
    await sandbox.control.release();
    expect(await answer).toBe('fetch failed');
  });

  test('a client that gives up leaves the job behind', async () => {
    await next({ type: 'hang' });
    const impatient = new AbortController();
    const answer = fetch(`${sandbox.url}/v1/images/generations`, {
      method: 'POST',
      signal: impatient.signal,
      headers: {
        authorization: `Bearer ${sandbox.apiKey}`,
        'content-type': 'application/json',
        'x-client-request-id': 'ref',
      },
      body: JSON.stringify({ model: 'gpt-image-1', prompt: 'a fox' }),
    }).catch((error: Error) => error.name);
    await eventually(() => counts('ref')).toEqual({ received: 1, recorded: 1 });
    impatient.abort();
    expect(await answer).toBe('AbortError');
    await eventually(async () => (await sandbox.control.requests({ clientRef: 'ref' }))[0]).toMatchObject({
      finished: true,
      status: null,
      fault: 'hang',
    });
    expect(await sandbox.control.jobs({ clientRef: 'ref' })).toHaveLength(1);
  });

  test('empty_create, html, server_error', async () => {
    await next({ type: 'empty_create' });
    const empty = await sandbox.createVideo({}, 'ref');
    expect([empty.status, await empty.text()]).toEqual([200, '']);
    await next({ type: 'html', on: 'create' });
    const page = await sandbox.createVideo({}, 'ref');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    await next({ type: 'server_error', on: 'create', status: 500 });
    expect((await sandbox.createVideo({}, 'ref')).status).toBe(500);
    expect(await counts('ref')).toEqual({ received: 3, recorded: 3 });
  });

  test('no_id: the ordinary answer without the id', async () => {
    await next({ type: 'no_id' });
    expect(await (await sandbox.createVideo({}, 'ref')).json()).toMatchObject({
      id: null,
      object: 'video',
    });
    expect(await counts('ref')).toEqual({ received: 1, recorded: 1 });
  });

  test('truncated: half of the JSON; cut: the connection ends within the body', async () => {
    await next({ type: 'truncated', on: 'create' });
    const half = await (await sandbox.createVideo({}, 'ref')).text();
    expect(half).toMatch(/^{"id":"video_/);
    expect(() => JSON.parse(half)).toThrow();
    await next({ type: 'truncated', on: 'create', cut: true });
    const cut = await sandbox.createVideo({}, 'ref');
    await expect(cut.text()).rejects.toThrow();
    expect(await counts('ref')).toEqual({ received: 2, recorded: 2 });
  });

  test('slow_reply waits with the answer only', async () => {
    await next({ type: 'slow_reply', ms: 60_000 });
    const answer = sandbox.createVideo({}, 'ref');
    await eventually(() => counts('ref')).toEqual({ received: 1, recorded: 1 });
    await sandbox.control.release({ clientRef: 'ref' });
    expect((await answer).status).toBe(200);
  });

  test('raw answers whatever it is told', async () => {
    await next({
      type: 'raw',
      status: 201,
      contentType: 'text/plain',
      headers: { 'x-odd': 'yes' },
      body: 'null',
    });
    const response = await sandbox.createVideo({}, 'ref');
    expect([response.status, response.headers.get('x-odd'), await response.text()]).toEqual([
      201,
      'yes',
      'null',
    ]);
    expect(await counts('ref')).toEqual({ received: 1, recorded: 1 });
  });

  test('numeric_id is a JSON number digit for digit, and can be polled', async () => {
    await sandbox.control.addRules({ match: { kind: 'video' }, behaviours: [{ type: 'numeric_id' }] });
    const first = await (await sandbox.createVideo()).text();
    const second = await (await sandbox.createVideo()).text();
    expect(first).toContain('"id":9007199254740993,');
    expect(second).toContain('"id":9007199254740994,');
    const polled = await sandbox.call('GET', '/v1/videos/9007199254740993');
    expect(await polled.text()).toContain('"id":9007199254740993,');
    expect((await sandbox.call('GET', '/v1/videos/9007199254740992')).status).toBe(404);
  });

  test('delay holds a synchronous answer back', async () => {
    await next({ type: 'delay', ms: 120 });
    const started = performance.now();
    expect((await sandbox.createImage({}, 'ref')).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(115);
  });
});

describe('images that are not what was ordered', () => {
  const dataOf = async (response: Response) => ((await response.json()) as { data: unknown[] }).data;

  test('partial: fewer, null entries, more', async () => {
    await next({ type: 'partial' });
    expect(await dataOf(await sandbox.createImage({ n: 3 }))).toHaveLength(2);
    await next({ type: 'partial', nulls: true });
    expect((await dataOf(await sandbox.createImage({ n: 3 })))[2]).toBeNull();
    await next({ type: 'partial', deliver: 5 });
    expect(await dataOf(await sandbox.createImage({ n: 3 }))).toHaveLength(5);
  });

  test('no_artifact: entries without url and b64_json', async () => {
    await next({ type: 'no_artifact' });
    expect(await dataOf(await sandbox.createImage())).toEqual([{ revised_prompt: 'shared' }]);
  });

  test('zero_bytes and wrong_body inside base64', async () => {
    await next({ type: 'zero_bytes' });
    expect(await dataOf(await sandbox.createImage())).toEqual([{ b64_json: '' }]);
    await next({ type: 'wrong_body', as: 'html' });
    const [entry] = (await dataOf(await sandbox.createImage())) as { b64_json: string }[];
    expect(Buffer.from(entry?.b64_json ?? '', 'base64').toString()).toContain('<html>');
  });
});

describe('texts that are not what was ordered', () => {
  test('incomplete and cancelled', async () => {
    const { id } = (await (
      await sandbox.createText({ input: 'a fox [[incomplete:content_filter]]' })
    ).json()) as { id: string };
    expect(await (await sandbox.call('GET', `/v1/responses/${id}`)).json()).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ status: 'incomplete' }],
    });
    await next({ type: 'cancelled' });
    expect(await (await sandbox.createText()).json()).toMatchObject({ status: 'cancelled', output: [] });
  });

  test('no_artifact: completed without output, as often as told', async () => {
    await next({ type: 'delay', ms: 100_000 }, { type: 'no_artifact', times: 1 });
    const { id } = (await (await sandbox.createText()).json()) as { id: string };
    await sandbox.control.release({ jobId: id });
    const polls = [
      await sandbox.call('GET', `/v1/responses/${id}`),
      await sandbox.call('GET', `/v1/responses/${id}`),
    ];
    const [first, second] = (await Promise.all(polls.map((poll) => poll.json()))) as {
      status: string;
      output: unknown[];
    }[];
    expect([first?.status, first?.output.length, second?.status, second?.output.length]).toEqual([
      'completed',
      0,
      'completed',
      1,
    ]);
  });

  test('ignore_cancel', async () => {
    await next({ type: 'ignore_cancel' }, { type: 'delay', ms: 100_000 });
    const { id } = (await (await sandbox.createText()).json()) as { id: string };
    expect((await sandbox.call('POST', `/v1/responses/${id}/cancel`)).status).toBe(200);
    await sandbox.control.release({ jobId: id });
    expect(await (await sandbox.call('GET', `/v1/responses/${id}`)).json()).toMatchObject({
      status: 'completed',
    });
  });
});
