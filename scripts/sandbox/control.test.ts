import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectControl } from './control-client.ts';
import type { SandboxControl } from './control-schemas.ts';
import { BEHAVIOUR_TYPES } from './rules.ts';
import { eventually, startTestSandbox, type TestSandbox } from './test-client.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

describe.each(['in the process', 'over HTTP'])('control %s', (way) => {
  let control: SandboxControl;
  beforeAll(() => {
    control = way === 'over HTTP' ? connectControl(sandbox.url) : sandbox.control;
  });

  test('counts creates and jobs per client reference, by either header', async () => {
    await sandbox.createImage({}, 'ref-1');
    await sandbox.call('POST', '/v1/images/generations', {
      body: { model: 'gpt-image-1', prompt: 'a fox', size: '96x64' },
      headers: { 'x-client-request-id': 'ref-1' },
    });
    await sandbox.createText({}, 'ref-2');
    await sandbox.createText({ model: 'nonsense' }, 'ref-2');
    await sandbox.createText();
    expect(await control.createsOf('ref-1')).toMatchObject({ received: 2, recorded: 2, kinds: ['image'] });
    expect(await control.createsOf('ref-2')).toMatchObject({ received: 2, recorded: 1, kinds: ['text'] });
    expect(await control.createsOf('ref-3')).toMatchObject({ received: 0, recorded: 0 });
    const all = await control.creates();
    expect(all.total).toEqual({ received: 5, recorded: 4 });
    expect(all.maxPerReference).toBe(2);
    expect(all.creates.map((count) => count.clientRef)).toEqual(['ref-1', 'ref-2', null]);
    const jobs = await control.jobs({ clientRef: 'ref-1' });
    expect(jobs.map((job) => job.id)).toEqual((await control.createsOf('ref-1')).jobIds);
  });

  test('logs calls with times, under the reference of their job', async () => {
    const id = await sandbox.videoId({}, 'ref');
    await sandbox.waitForVideo(id, 'completed');
    await sandbox.call('GET', `/v1/videos/${id}/content`).then((response) => response.arrayBuffer());
    const log = await control.waitForRequests({ clientRef: 'ref', call: 'content' });
    expect(log[0]).toMatchObject({
      method: 'GET',
      path: `/v1/videos/${id}/content`,
      jobId: id,
      at: expect.any(Number),
    });
    expect((await control.requests({ jobId: id }))[0]).toMatchObject({
      call: 'create',
      status: 200,
      finished: true,
    });
    await expect(control.waitForRequests({ clientRef: 'nobody' }, { timeoutMs: 20 })).rejects.toThrow(
      '0 of 1',
    );
  });

  test('rules match by prompt, reference and kind, with counts', async () => {
    const [byPrompt] = await control.addRules(
      { match: { promptIncludes: 'bad' }, behaviours: [{ type: 'reject', status: 403 }], count: 1 },
      { match: { clientRef: 'ref', kind: 'text' }, behaviours: [{ type: 'fail', code: 'no' }] },
    );
    const statuses = [
      (await sandbox.createVideo({ prompt: 'a good fox' })).status,
      (await sandbox.createVideo({ prompt: 'a bad fox' })).status,
      (await sandbox.createVideo({ prompt: 'a bad fox' })).status,
    ];
    expect(statuses).toEqual([200, 403, 200]);
    expect(await (await sandbox.createText({}, 'ref')).json()).toMatchObject({
      status: 'failed',
      error: { code: 'no' },
    });
    expect(await (await sandbox.createText({}, 'other')).json()).toMatchObject({ status: 'completed' });
    expect(await control.rules()).toMatchObject([
      { id: byPrompt, applied: 1, left: 0, behaviours: ['reject'] },
      { applied: 1, left: null },
    ]);
  });

  test('a rule reaches a job that exists; removing it makes upstream well again', async () => {
    const id = await sandbox.videoId({}, 'ref');
    await sandbox.waitForVideo(id, 'completed');
    const [ruleId] = await control.addRules({
      match: { jobId: id },
      behaviours: [{ type: 'unauthorized', times: 'always' }],
    });
    expect((await sandbox.call('GET', `/v1/videos/${id}`)).status).toBe(401);
    expect((await sandbox.call('GET', `/v1/videos/${id}`)).status).toBe(401);
    expect(await control.removeRules(ruleId)).toBe(1);
    expect((await sandbox.call('GET', `/v1/videos/${id}`)).status).toBe(200);
    await control.addRules({
      match: { clientRef: 'ref' },
      behaviours: [{ type: 'server_error', times: 'always' }],
    });
    expect((await sandbox.call('GET', `/v1/videos/${id}`)).status).toBe(503);
    expect(await control.removeRules()).toBe(1);
    expect((await sandbox.call('GET', `/v1/videos/${id}`)).status).toBe(200);
  });

  test('delays and speed', async () => {
    await control.configure({ delays: { text: 10_000_000 }, speed: 2 });
    const slow = (await (await sandbox.createText()).json()) as { status: string };
    expect(slow.status).toBe('queued');
    const config = await control.configure({ speed: 1_000_000 });
    expect(config).toMatchObject({ speed: 1_000_000, delays: { text: 10_000_000, video: 0 } });
    const { id } = (await (await sandbox.createText()).json()) as { id: string };
    await eventually(
      async () => (await (await sandbox.call('GET', `/v1/responses/${id}`)).json()) as unknown,
    ).toMatchObject({ status: 'completed' });
  });

  test('reset forgets everything and ends calls that hang', async () => {
    await control.addRules({ match: { any: true }, behaviours: [{ type: 'hang' }] });
    await control.configure({ speed: 5 });
    const hanging = sandbox.createVideo({}, 'ref').catch((error: Error) => error.message);
    await eventually(async () => (await control.createsOf('ref')).recorded).toBe(1);
    await control.reset();
    expect(await hanging).toBe('fetch failed');
    expect(await control.creates()).toEqual({
      total: { received: 0, recorded: 0 },
      maxPerReference: 0,
      creates: [],
    });
    expect(await control.rules()).toEqual([]);
    expect(await control.jobs()).toEqual([]);
    expect(await control.configure({})).toMatchObject({ speed: 1 });
  });
});

test('a hundred calls hang at once, and all are answered when released', async () => {
  await sandbox.control.addRules({ match: { promptIncludes: 'wait' }, behaviours: [{ type: 'hang' }] });
  const answers = Array.from({ length: 100 }, (_, index) =>
    sandbox.createText({ input: 'wait' }, `ref-${index}`),
  );
  await eventually(async () => (await sandbox.control.creates()).total.recorded).toBe(100);
  expect(await sandbox.control.release()).toBe(100);
  const statuses = await Promise.all(answers.map(async (answer) => (await answer).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('nonsense on the control API is a 400 that names the fault', async () => {
  const post = (path: string, body: unknown) =>
    fetch(`${sandbox.url}/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const odd = await post('rules', { match: { any: true }, behaviours: [{ type: 'nonsense' }] });
  expect(odd.status).toBe(400);
  expect((await post('config', { speed: -1 })).status).toBe(400);
  expect((await fetch(`${sandbox.url}/control/nothing`)).status).toBe(404);
  const { behaviours } = (await (await fetch(`${sandbox.url}/control/behaviours`)).json()) as {
    behaviours: { type: string }[];
  };
  expect(behaviours.map((item) => item.type)).toEqual(BEHAVIOUR_TYPES);
});

test('close ends calls that hang, at once', async () => {
  const closing = await startTestSandbox();
  await closing.control.addRules({ match: { any: true }, behaviours: [{ type: 'hang' }] });
  const hanging = closing.createText({}, 'ref').catch((error: Error) => error.message);
  await closing.control.waitForRequests({ clientRef: 'ref' });
  await closing.close();
  expect(await hanging).toBe('fetch failed');
});

test('every misbehaviour has a test at the wire level', async () => {
  const sources = await Promise.all(
    ['create-faults.test.ts', 'poll-faults.test.ts', 'formats/creates.test.ts', 'webhooks.test.ts'].map(
      (name) => readFile(new URL(name, import.meta.url), 'utf8'),
    ),
  );
  const missing = BEHAVIOUR_TYPES.filter(
    (type) => !sources.some((source) => source.includes(`type: '${type}'`) || source.includes(`[[${type}`)),
  );
  expect(missing).toEqual([]);
});
