import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestSandbox, type TestSandbox } from '../test-client.ts';
import { at, DRIVERS, speak } from './test-drivers.ts';

/** What Replicate's answers look like. */

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

const call = (method: string, path: string, body?: unknown) =>
  sandbox.call(method, `/replicate/v1${path}`, { body });
const bodyOf = async (answer: Promise<Response>) => (await answer).json() as Promise<unknown>;
const driver = DRIVERS.replicate;
const { made } = speak(() => sandbox, driver);

async function finished(path: string, body: unknown): Promise<unknown> {
  const id = String(at(await bodyOf(call('POST', path, body)), 'id'));
  await made(id);
  return bodyOf(call('GET', `/predictions/${id}`));
}

describe('predictions', () => {
  test('of a model: the whole object, at first and in the end', async () => {
    const input = { prompt: 'a lighthouse [[delay:1000000]]', width: 96, height: 64, steps: 4 };
    const created = await call('POST', '/models/acme/painter/predictions', { input });
    expect(created.status).toBe(201);
    const prediction = await created.json();
    const id = String(at(prediction, 'id'));
    const url = `${sandbox.url}/replicate/v1/predictions/${id}`;
    expect(prediction).toMatchObject({
      id: expect.stringMatching(/^[0-9a-z]{26}$/),
      model: 'acme/painter',
      version: 'hidden',
      input,
      status: 'starting',
      output: null,
      error: null,
      source: 'api',
      data_removed: false,
      started_at: null,
      completed_at: null,
      urls: { get: url, cancel: `${url}/cancel` },
    });
    expect(prediction).not.toHaveProperty('metrics');
    await sandbox.control.release({ jobId: id });
    await made(id);
    expect(await bodyOf(call('GET', `/predictions/${id}`))).toMatchObject({
      status: 'succeeded',
      output: [expect.stringMatching(/^http.*\/0\.png\?read=\d+$/)],
      completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      metrics: { predict_time: expect.any(Number) },
      logs: expect.stringContaining('100%'),
    });
  });

  test('of a version, with and without the name of its model', async () => {
    const hash = 'ab'.repeat(32);
    const input = { prompt: 'a fox', width: 96, height: 64 };
    const named = await bodyOf(call('POST', '/predictions', { version: `acme/painter:${hash}`, input }));
    expect(named).toMatchObject({ model: 'acme/painter', version: hash });
    const bare = await bodyOf(call('POST', '/predictions', { version: hash, input }));
    expect(bare).toMatchObject({ version: hash, input });
    const none = await call('POST', '/predictions', { input });
    expect([none.status, at(await none.json(), 'invalid_fields.0.field')]).toEqual([422, 'version']);
  });

  test('output is one address for films and sounds, and a list of words for texts', async () => {
    const film = { prompt: 'a fox', width: 128, height: 96, duration: 1 };
    expect(at(await finished('/models/acme/text-to-video/predictions', { input: film }), 'output')).toMatch(
      /\.mp4/,
    );
    expect(at(await finished('/predictions', { version: 'ab'.repeat(32), input: film }), 'output')).toMatch(
      /\.mp4/,
    );
    const input = { prompt: 'a fox' };
    expect(at(await finished('/models/acme/music/predictions', { input }), 'output')).toMatch(/\.mp3/);
    const words = at(await finished('/models/acme/llama/predictions', { input }), 'output');
    expect(Array.isArray(words) && words.every((word) => typeof word === 'string')).toBe(true);
  });

  test('a cancel is answered with the object, also when it comes too late', async () => {
    const { newId } = speak(() => sandbox, driver);
    const id = await newId('long [[delay:1000000]]');
    const cancelled = await call('POST', `/predictions/${id}/cancel`);
    expect([cancelled.status, at(await cancelled.json(), 'status')]).toEqual([200, 'canceled']);
  });
});

test('the list: newest first, a hundred a page, by time of creation', async () => {
  await sandbox.control.configure({ delays: { image: 1_000_000 } });
  const before = new Date(Date.now() - 60_000).toISOString();
  const { newId } = speak(() => sandbox, driver);
  const ids: string[] = [];
  for (let index = 0; index < 105; index += 1) ids.push(await newId(`a fox ${index}`));
  const page = async (path: string) => {
    const body = await bodyOf(call('GET', path));
    const results = at(body, 'results');
    const found = Array.isArray(results) ? results.map((item) => String(at(item, 'id'))) : [];
    return { ids: found, next: at(body, 'next') };
  };
  const first = await page('/predictions');
  expect(first.ids).toEqual(ids.slice(5).toReversed());
  const rest = await page(String(first.next).replace(`${sandbox.url}/replicate/v1`, ''));
  expect(rest).toEqual({ ids: ids.slice(0, 5).toReversed(), next: null });
  expect((await page(`/predictions?created_after=${before}`)).ids).toHaveLength(100);
  expect((await page(`/predictions?created_before=${before}`)).ids).toEqual([]);
  expect((await call('GET', '/predictions?cursor=x')).status).toBe(422);

  await sandbox.control.configure({ apiKeys: [sandbox.apiKey, 'second-key'] });
  const headers = { authorization: 'Bearer second-key' };
  const other = await sandbox.call('GET', '/replicate/v1/predictions', { headers });
  expect(at(await other.json(), 'results')).toEqual([]);
});

test('account and secret of webhooks', async () => {
  expect(await bodyOf(call('GET', '/account'))).toMatchObject({ type: 'organization', username: 'sandbox' });
  expect(await bodyOf(call('GET', '/webhooks/default/secret'))).toEqual({
    key: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
  });
});

test('errors', async () => {
  for (const path of ['/account', '/webhooks/default/secret', '/predictions']) {
    for (const [authorization, detail] of [
      ['', 'You did not pass an authentication token'],
      ['Bearer wrong', 'You did not pass a valid authentication token'],
      ['Token x', 'You did not pass a valid authentication token'],
    ] as const) {
      const refused = await sandbox.call('GET', `/replicate/v1${path}`, { headers: { authorization } });
      expect([refused.status, await refused.json()]).toEqual([
        401,
        { title: 'Unauthenticated', detail, status: 401 },
      ]);
    }
  }
  const invalid = await call('POST', '/models/acme/painter/predictions', { input: {} });
  expect([invalid.status, await invalid.json()]).toMatchObject([
    422,
    { title: 'Input validation failed', status: 422, invalid_fields: [{ field: 'input.prompt' }] },
  ]);
  expect(await bodyOf(call('GET', '/predictions/none'))).toMatchObject({ status: 404 });
});
