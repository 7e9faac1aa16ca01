import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestSandbox, type TestSandbox } from '../test-client.ts';
import { at, DRIVERS, speak } from './test-drivers.ts';

/** What the answers of fal's queue look like. */

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

const call = (method: string, path: string, body?: unknown) =>
  sandbox.call(method, path, { body, headers: { authorization: `Key demo:${sandbox.apiKey}` } });
const bodyOf = async (answer: Promise<Response>) => (await answer).json() as Promise<unknown>;
const { made, newId } = speak(() => sandbox, DRIVERS.fal);

async function finished(app: string, input: unknown): Promise<unknown> {
  const id = String(at(await bodyOf(call('POST', `/fal/${app}`, input)), 'request_id'));
  await made(id);
  return bodyOf(call('GET', `/fal/${app.split('/').slice(0, 2).join('/')}/requests/${id}`));
}

describe('the queue', () => {
  test('answers with whole addresses, which lead through status to result', async () => {
    const input = { prompt: 'a fox [[stuck:40]]', image_size: { width: 96, height: 64 } };
    const created = await bodyOf(call('POST', '/fal/acme/painter/fast/v2', input));
    const id = String(at(created, 'request_id'));
    const url = `${sandbox.url}/fal/acme/painter/requests/${id}`;
    expect(created).toMatchObject({
      status: 'IN_QUEUE',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      gateway_request_id: id,
      response_url: url,
      status_url: `${url}/status`,
      cancel_url: `${url}/cancel`,
      queue_position: 0,
    });
    const path = new URL(url).pathname;
    const working = await call('GET', `${path}/status?logs=1`);
    expect([working.status, await working.json()]).toMatchObject([
      202,
      { status: 'IN_PROGRESS', response_url: url, logs: [{ message: '40%' }] },
    ]);
    const early = await call('GET', path);
    expect([early.status, await early.json()]).toEqual([400, { detail: 'Request is still in progress' }]);
    await sandbox.control.release({ jobId: id });
    await made(id);
    const done = await call('GET', `${path}/status`);
    expect([done.status, await done.json()]).toMatchObject([
      200,
      { status: 'COMPLETED', metrics: { inference_time: expect.any(Number) } },
    ]);
    expect(await bodyOf(call('GET', path))).toMatchObject({
      images: [{ url: expect.stringContaining('/0.png'), content_type: 'image/png', width: 96, height: 64 }],
      has_nsfw_concepts: [false],
    });
    expect((await sandbox.control.requests({ jobId: id })).map((entry) => entry.call)).toEqual([
      'create',
      'poll',
      'result',
      'poll',
      'result',
    ]);
  });

  test('a failure is COMPLETED in the status, an error on the result', async () => {
    const id = await newId('a fox [[moderate]]');
    const path = `/fal/acme/painter/requests/${id}`;
    const status = await bodyOf(call('GET', `${path}/status`));
    expect(at(status, 'status')).toBe('COMPLETED');
    expect(status).not.toHaveProperty('error');
    const result = await call('GET', path);
    expect([result.status, result.headers.get('x-fal-retryable'), await result.json()]).toEqual([
      422,
      'false',
      {
        detail: [
          {
            loc: ['body', 'prompt'],
            msg: expect.stringContaining('safety system'),
            type: 'content_policy_violation',
          },
        ],
      },
    ]);
    const failed = await newId('a fox [[fail:out_of_memory]]');
    const failure = await call('GET', `/fal/acme/painter/requests/${failed}`);
    expect([failure.status, at(await failure.json(), 'detail.0.type')]).toEqual([422, 'out_of_memory']);
  });

  test('films, sounds and texts have payloads of their own', async () => {
    const film = { prompt: 'a fox', image_size: { width: 128, height: 96 }, duration: '1s' };
    expect(await finished('acme/kling-video/v2/text-to-video', film)).toMatchObject({
      video: { url: expect.stringContaining('.mp4'), content_type: 'video/mp4' },
    });
    expect(await finished('acme/speech', { text: 'A fox.' })).toMatchObject({
      audio: { url: expect.stringContaining('.mp3'), content_type: 'audio/mpeg' },
    });
    expect(await finished('acme/any-llm', { prompt: 'a fox' })).toEqual({ output: expect.any(String) });
  });

  test('the result meets faults of its own', async () => {
    const id = await newId('a fox [[server_error:502,on=result]][[truncated:result]]');
    await made(id);
    const path = `/fal/acme/painter/requests/${id}`;
    expect((await call('GET', `${path}/status`)).status).toBe(200);
    expect((await call('GET', path)).status).toBe(502);
    const half = await (await call('GET', path)).text();
    expect(() => JSON.parse(half)).toThrow();
    expect((await call('GET', path)).status).toBe(200);
  });

  test('a cancel is only asked for; a request is found below its own app only', async () => {
    const id = await newId('long [[delay:1000000]]');
    const cancel = (app: string) => call('PUT', `/fal/acme/${app}/requests/${id}/cancel`);
    expect((await cancel('other')).status).toBe(404);
    expect((await call('GET', `/fal/acme/other/requests/${id}/status`)).status).toBe(404);
    const asked = await cancel('painter');
    expect([asked.status, await asked.json()]).toEqual([202, { status: 'CANCELLATION_REQUESTED' }]);
    const again = await cancel('painter');
    expect([again.status, await again.json()]).toEqual([400, { status: 'ALREADY_COMPLETED' }]);
    expect((await call('GET', `/fal/acme/painter/requests/${id}`)).status).toBe(499);
  });
});

test('keys are id:secret; the errors of a request name its fields', async () => {
  const ask = async (authorization: string) => {
    const response = await sandbox.call('POST', '/fal/acme/painter', {
      body: { prompt: 'x' },
      headers: { authorization },
    });
    return [response.status, await response.json()];
  };
  expect(await ask('')).toEqual([401, { detail: 'Authentication is required.' }]);
  const wrong = { detail: 'Cannot access application: the key is not valid.' };
  for (const key of [`Bearer ${sandbox.apiKey}`, `Key ${sandbox.apiKey}`, 'Key demo:wrong'])
    expect(await ask(key), key).toEqual([401, wrong]);
  const invalid = await call('POST', '/fal/acme/painter', { num_images: 3 });
  expect([invalid.status, await invalid.json()]).toMatchObject([
    422,
    { detail: [{ loc: ['body', 'prompt'] }] },
  ]);
  const hook = await call('POST', '/fal/acme/painter?fal_webhook=file:///etc/hosts', { prompt: 'x' });
  expect([hook.status, at(await hook.json(), 'detail.0.loc.1')]).toEqual([422, 'fal_webhook']);
});

test('the keys of webhooks are public', async () => {
  const { keys } = (await (await fetch(`${sandbox.url}/fal/.well-known/jwks.json`)).json()) as {
    keys: JsonWebKey[];
  };
  expect(keys).toMatchObject([{ kty: 'OKP', crv: 'Ed25519', kid: expect.any(String) }]);
  expect(JSON.stringify(keys)).not.toContain('"d"');
  expect(createPublicKey({ key: keys[0] ?? {}, format: 'jwk' }).asymmetricKeyType).toBe('ed25519');
});
