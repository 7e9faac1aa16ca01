import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BehaviourInput, FormatName } from '../rules.ts';
import { eventually, startTestSandbox, type TestSandbox } from '../test-client.ts';
import { at, DRIVERS, get, REF, speak } from './test-drivers.ts';

/** Creates, keys and counts: what holds in every wire format. */

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

describe.each(Object.values(DRIVERS))('$name', (driver) => {
  const { create, newId, poll } = speak(() => sandbox, driver);

  test('401 without a key and with a wrong one, and nothing is counted', async () => {
    for (const key of [null, 'wrong']) {
      const response = await driver.create(sandbox, { prompt: 'a fox', headers: REF, key });
      expect(response.status).toBe(401);
      expect(JSON.stringify(await response.json())).not.toContain('authentication_error');
      expect((await get(sandbox, driver, driver.pollPath('x'), key)).status).toBe(401);
    }
    expect(await counts('ref')).toEqual({ received: 0, recorded: 0 });
  });

  test('counts creates per client reference, by either header', async () => {
    await create();
    await create('a fox', { 'x-client-request-id': 'ref' });
    await create('a fox', {});
    await create('[[reject]]');
    expect(await sandbox.control.createsOf('ref')).toMatchObject({
      received: 3,
      recorded: 2,
      kinds: [driver.kind],
    });
    expect((await sandbox.control.creates()).total).toEqual({ received: 4, recorded: 3 });
  });

  test('a rule can be for one format', async () => {
    const match = { format: driver.name.split(' ')[0] as FormatName };
    await sandbox.control.addRules({ match, behaviours: [{ type: 'reject', status: 403 }] });
    expect((await create()).status).toBe(403);
    const spared = driver.name === 'fal' ? DRIVERS.studio : DRIVERS.fal;
    expect((await spared.create(sandbox, { prompt: 'a fox' })).ok).toBe(true);
    expect((await sandbox.createVideo()).ok).toBe(true);
  });

  test('a job is seen by its own key and in its own format only', async () => {
    const id = await newId();
    await sandbox.control.configure({ apiKeys: [sandbox.apiKey, 'second-key'] });
    const hidden = await get(sandbox, driver, driver.pollPath(id), 'second-key');
    expect(hidden.status).toBe(driver.missingStatus);
    expect(driver.errorOf(await hidden.json()).message).toBeTruthy();
    for (const other of Object.values(DRIVERS).filter((item) => item !== driver)) {
      expect((await get(sandbox, other, other.pollPath(id))).status, other.name).toBe(other.missingStatus);
    }
    expect((await sandbox.call('GET', `/v1/videos/${id}`)).status).toBe(404);
    expect((await poll(id)).status).toBeLessThan(300);
  });

  describe('creates that leave a job, whatever the answer', () => {
    test.each<[string, BehaviourInput, (answer: Promise<Response>) => Promise<void>]>([
      [
        '502 after the job is queued',
        { type: 'error_after_accept' },
        async (answer) => {
          const response = await answer;
          expect([response.status, response.headers.get('content-type')]).toEqual([
            502,
            'text/html; charset=utf-8',
          ]);
        },
      ],
      ['drop', { type: 'drop_after_accept' }, async (answer) => expect(answer).rejects.toThrow()],
      [
        'reset',
        { type: 'reset', on: 'create' },
        async (answer) => {
          const failure = await answer.catch((error: Error) => error.cause);
          expect(failure).toMatchObject({ code: 'ECONNRESET' });
        },
      ],
      [
        'empty body',
        { type: 'empty_create' },
        async (answer) => expect(await (await answer).text()).toBe(''),
      ],
      [
        'no id',
        { type: 'no_id' },
        async (answer) => {
          const response = await answer;
          expect(response.ok).toBe(true);
          expect(driver.idOf(await response.json())).toBeNull();
        },
      ],
      [
        'html',
        { type: 'html', on: 'create' },
        async (answer) => expect(await (await answer).text()).toContain('<html>'),
      ],
      [
        'half of the JSON',
        { type: 'truncated', on: 'create' },
        async (answer) => {
          const half = await (await answer).text();
          expect(() => JSON.parse(half)).toThrow();
        },
      ],
      [
        'server error in the shape of the vendor',
        { type: 'server_error', on: 'create', status: 500 },
        async (answer) => {
          const response = await answer;
          expect(response.status).toBe(500);
          expect(driver.errorOf(await response.json()).message).toContain('server had an error');
        },
      ],
    ])('%s', async (_name, behaviour, check) => {
      await next(behaviour);
      await check(create());
      expect(await counts('ref')).toEqual({ received: 1, recorded: 1 });
    });

    test('hang until released', async () => {
      await next({ type: 'hang' });
      const answer = create();
      await eventually(() => counts('ref')).toEqual({ received: 1, recorded: 1 });
      await sandbox.control.release();
      expect(driver.idOf(await (await answer).json())).toEqual(expect.any(String));
    });
  });

  describe('creates that leave no job', () => {
    test('429 with Retry-After', async () => {
      await next({ type: 'rate_limit', retryAfterSeconds: 7 });
      const response = await create();
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
      expect(driver.errorOf(await response.json()).message).toContain('Rate limit');
    });

    test('a refusal, a moderated prompt and a closed socket', async () => {
      await next({ type: 'reject', status: 402, code: 'no_credit', message: 'No credit.' });
      const refused = await create();
      expect(refused.status).toBe(402);
      expect(driver.errorOf(await refused.json()).message).toBe('No credit.');
      const moderated = await create('a fox [[moderate:create]]');
      expect(driver.errorOf(await moderated.json()).message).toContain('safety system');
      await next({ type: 'drop_before_accept' });
      await expect(create()).rejects.toThrow();
      expect(await counts('ref')).toEqual({ received: 3, recorded: 0 });
    });

    test('a create without a prompt names the fault', async () => {
      const response = await create('');
      expect([400, 422]).toContain(response.status);
      expect(driver.errorOf(await response.json()).message).toEqual(expect.any(String));
      expect(await counts('ref')).toEqual({ received: 1, recorded: 0 });
    });
  });
});

test('a path that no format knows is a 404 in the format it lies below', async () => {
  const headers = { 'x-studio-key': sandbox.apiKey, authorization: `Bearer ${sandbox.apiKey}` };
  const bodyOf = async (path: string) => {
    const response = await fetch(`${sandbox.url}${path}`, { headers });
    expect(response.status, path).toBe(404);
    return (await response.json()) as unknown;
  };
  expect(at(await bodyOf('/studio/nothing'), 'problem.text')).toContain('/studio/nothing');
  expect(at(await bodyOf('/replicate/v1/nothing'), 'detail')).toContain('/replicate/v1/nothing');
  expect(at(await bodyOf('/newapi/v1/nothing'), 'error.type')).toBe('new_api_error');
  expect(at(await bodyOf('/newapi/suno/nothing'), 'code')).toBe('invalid_request');
  expect(at(await bodyOf('/nothing'), 'error.type')).toBe('invalid_request_error');
  expect((await fetch(`${sandbox.url}/v1/videos/%E0%A4%A`, { headers })).status).toBe(404);
});
