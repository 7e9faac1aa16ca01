import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestSandbox, type TestSandbox } from '../test-client.ts';
import { at, DRIVERS, speak } from './test-drivers.ts';

/** What the aggregator's answers look like. */

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

const call = (method: string, path: string, body?: unknown) =>
  sandbox.call(method, `/newapi${path}`, { body });
const bodyOf = async (answer: Promise<Response>) => (await answer).json() as Promise<unknown>;

describe('keys', () => {
  test('missing and wrong ones are refused alike in every family, with the id of the request', async () => {
    for (const path of ['/v1/models', '/v1/video/generations/x', '/suno/fetch/x', '/mj/task/x/fetch']) {
      for (const authorization of ['', 'Bearer wrong']) {
        const response = await sandbox.call('GET', `/newapi${path}`, { headers: { authorization } });
        expect(response.status).toBe(401);
        const requestId = response.headers.get('x-oneapi-request-id');
        expect(await response.json()).toEqual({
          error: {
            message: expect.stringMatching(new RegExp(`oken.* \\(request id: ${requestId}\\)$`)),
            type: 'new_api_error',
            param: '',
            code: '',
          },
        });
      }
    }
  });

  test('the pictures also take theirs in a header of their own', async () => {
    const ask = (secret: string, path: string) =>
      fetch(`${sandbox.url}/newapi${path}`, { headers: { 'mj-api-secret': secret } });
    expect((await ask(sandbox.apiKey, '/mj/task/none/fetch')).status).toBe(400);
    expect((await ask('wrong', '/mj/task/none/fetch')).status).toBe(401);
    expect((await ask(sandbox.apiKey, '/v1/models')).status).toBe(401);
  });
});

describe('unified video', () => {
  test('create and poll', async () => {
    const order = {
      model: 'kling-v2',
      prompt: 'a lighthouse [[delay:1000000]]',
      duration: 2,
      size: '128x96',
      metadata: { aspect_ratio: '4:3' },
    };
    const created = await bodyOf(call('POST', '/v1/video/generations', order));
    const id = String(at(created, 'id'));
    expect(created).toEqual({
      id: expect.stringMatching(/^task_[0-9a-f]{32}$/),
      task_id: id,
      object: 'video',
      model: 'kling-v2',
      status: 'queued',
      progress: 0,
      created_at: expect.any(Number),
    });
    expect(await bodyOf(call('GET', `/v1/video/generations/${id}`))).toMatchObject({
      code: 'success',
      message: '',
      data: { task_id: id, status: 'QUEUED', progress: '0%', result_url: '', start_time: 0, finish_time: 0 },
    });
    await sandbox.control.release({ jobId: id });
    await speak(() => sandbox, DRIVERS.unifiedVideo).made(id);
    expect(await bodyOf(call('GET', `/v1/video/generations/${id}`))).toMatchObject({
      code: 'success',
      data: {
        id: expect.any(Number),
        task_id: id,
        status: 'SUCCESS',
        progress: '100%',
        fail_reason: '',
        result_url: expect.stringMatching(/\.mp4\?read=\d+$/),
        finish_time: expect.any(Number),
        data: { progress: 100 },
      },
    });
    // The number of the row is no id of a task.
    expect((await call('GET', '/v1/video/generations/1')).status).toBe(400);
  });

  test('a task that does not exist, and a create that nobody can tell of', async () => {
    const missing = await call('GET', '/v1/video/generations/task_none');
    expect([missing.status, await missing.json()]).toEqual([
      400,
      { code: 'task_not_exist', message: 'task_not_exist', data: null },
    ]);
    const order = {
      model: 'kling-v2',
      prompt: '[[server_error:500,on=create]]',
      size: '128x96',
      duration: 1,
    };
    const ambiguous = await call('POST', '/v1/video/generations', order);
    expect([ambiguous.status, at(await ambiguous.json(), 'code')]).toEqual([500, 'do_request_failed']);
  });

  test("a task is the same in OpenAI's shape, either way round", async () => {
    const { newId, made } = speak(() => sandbox, DRIVERS.unifiedVideo);
    const id = await newId();
    await made(id);
    expect(await bodyOf(call('GET', `/v1/videos/${id}`))).toMatchObject({
      id,
      object: 'video',
      status: 'completed',
      seconds: '1',
      size: '128x96',
    });
    const content = await call('GET', `/v1/videos/${id}/content`);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    await content.arrayBuffer();

    const order = { model: 'sora-2', prompt: 'a fox', seconds: '1', size: '128x96' };
    const other = String(at(await bodyOf(call('POST', '/v1/videos', order)), 'id'));
    expect(other).toMatch(/^task_/);
    await made(other);
    expect(at(await bodyOf(call('GET', `/v1/video/generations/${other}`)), 'data.status')).toBe('SUCCESS');
    const ids = at(await bodyOf(call('GET', '/v1/videos?limit=5')), 'data');
    expect(Array.isArray(ids) && ids.map((video) => at(video, 'id'))).toEqual([other, id]);
    expect(await bodyOf(call('DELETE', `/v1/videos/${other}`))).toMatchObject({ deleted: true });
  });
});

test("every route of OpenAI's shape", async () => {
  const size = '96x64';
  const image = { model: 'gpt-image-1', prompt: 'a fox', size, n: 2 };
  expect(at(await bodyOf(call('POST', '/v1/images/generations', image)), 'data')).toHaveLength(2);
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'gpt-image-1', prompt: 'a fox', size }))
    form.set(name, value);
  form.set('image', new Blob([new Uint8Array([1])], { type: 'image/png' }), 'fox.png');
  const edited = await fetch(`${sandbox.url}/newapi/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}` },
    body: form,
  });
  expect(at(await edited.json(), 'data')).toHaveLength(1);
  const speech = { model: 'tts-1', input: 'A fox.', voice: 'alloy', response_format: 'wav' };
  const sound = await call('POST', '/v1/audio/speech', speech);
  expect(sound.headers.get('content-type')).toBe('audio/wav');
  await sound.arrayBuffer();
  const chat = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'a fox' }] };
  expect(await bodyOf(call('POST', '/v1/chat/completions', chat))).toMatchObject({
    object: 'chat.completion',
  });
  const text = { model: 'gpt-5-mini', input: 'a fox [[delay:1000000]]', background: true, store: true };
  const id = at(await bodyOf(call('POST', '/v1/responses', text)), 'id');
  expect(await bodyOf(call('GET', `/v1/responses/${id}`))).toMatchObject({ status: 'queued' });
  expect(await bodyOf(call('POST', `/v1/responses/${id}/cancel`))).toMatchObject({ status: 'cancelled' });
  expect(at(await bodyOf(call('GET', '/v1/models')), 'data.0.object')).toBe('model');
  expect(at(await bodyOf(call('POST', '/v1/images/generations', {})), 'error')).toMatchObject({
    type: 'new_api_error',
    param: 'prompt',
  });
});

describe('music', () => {
  test('an order gives two clips; one can be heard before they are finished', async () => {
    const { newId, made } = speak(() => sandbox, DRIVERS.suno);
    const id = await newId('a sea shanty [[stuck:50]]');
    const early = await bodyOf(call('GET', `/suno/fetch/${id}`));
    expect(early).toMatchObject({
      code: 'success',
      data: { task_id: id, action: 'MUSIC', status: 'IN_PROGRESS', progress: '50%' },
    });
    expect(at(early, 'data.data')).toMatchObject([
      { status: 'streaming', audio_url: expect.stringContaining('/preview') },
    ]);
    const stream = await fetch(String(at(early, 'data.data.0.audio_url')));
    expect(stream.headers.get('content-type')).toBe('audio/mpeg');
    await stream.arrayBuffer();

    await sandbox.control.release({ jobId: id });
    await made(id);
    const task = await bodyOf(call('GET', `/suno/fetch/${id}`));
    expect(at(task, 'data')).toMatchObject({ status: 'SUCCESS', progress: '100%', fail_reason: '' });
    const clip = {
      id: expect.any(String),
      status: 'complete',
      audio_url: expect.stringContaining('.mp3'),
      image_url: expect.stringContaining('.jpeg'),
      metadata: { tags: 'folk', error_message: null },
    };
    expect(at(task, 'data.data')).toMatchObject([clip, clip]);
    const sounds = await Promise.all(
      [0, 1].map(async (index) =>
        Buffer.from(
          await (await fetch(String(at(task, `data.data.${index}.audio_url`)))).arrayBuffer(),
        ).toString('base64'),
      ),
    );
    expect(new Set(sounds).size).toBe(2);
    expect((await fetch(String(at(early, 'data.data.0.audio_url')))).status).toBe(404);
  });

  test('in the custom mode the prompt is what is sung and its style', async () => {
    const order = { prompt: 'Oh the sea', tags: 'shanty [[fail:no_voice]]', title: 'Sea' };
    const id = at(await bodyOf(call('POST', '/suno/submit/music', order)), 'data');
    expect(await bodyOf(call('GET', `/suno/fetch/${id}`))).toMatchObject({ data: { status: 'FAILURE' } });
    expect((await call('POST', '/suno/submit/music', { title: 'Sea' })).status).toBe(400);
  });

  test('several are fetched at once, unknown ones are left out', async () => {
    const { newId } = speak(() => sandbox, DRIVERS.suno);
    const id = await newId();
    const ids = async (body: unknown) => {
      const tasks = at(await bodyOf(call('POST', '/suno/fetch', body)), 'data');
      return Array.isArray(tasks) ? tasks.map((task) => at(task, 'task_id')) : tasks;
    };
    expect(await ids({ ids: [id, 'none'], action: 'MUSIC' })).toEqual([id]);
    expect(await ids({ ids: ['none'], action: 'MUSIC' })).toEqual([]);
  });
});

describe('pictures', () => {
  test('submit, a preview on the way, a grid and its tiles', async () => {
    const order = { prompt: 'a fox --ar 2:1 [[stuck:60]]', state: 'my-reference' };
    const submitted = await bodyOf(call('POST', '/mj/submit/imagine', order));
    expect(submitted).toEqual({
      code: 1,
      description: 'Submit success',
      result: expect.stringMatching(/^\d{19}$/),
      properties: {},
    });
    const id = String(at(submitted, 'result'));
    const early = await bodyOf(call('GET', `/mj/task/${id}/fetch`));
    expect(early).toMatchObject({
      id,
      action: 'IMAGINE',
      status: 'IN_PROGRESS',
      progress: '60%',
      state: 'my-reference',
      imageUrl: expect.stringContaining('/preview'),
      imageUrls: [],
      finishTime: 0,
    });
    const preview = await fetch(String(at(early, 'imageUrl')));
    expect(preview.headers.get('content-type')).toBe('image/webp');
    await preview.arrayBuffer();
    await sandbox.control.release({ jobId: id });
    await speak(() => sandbox, DRIVERS.midjourney).made(id);
    const done = await bodyOf(call('GET', `/mj/task/${id}/fetch`));
    expect(done).toMatchObject({
      status: 'SUCCESS',
      progress: '100%',
      imageUrl: expect.stringContaining('/0.png'),
      imageUrls: Array.from({ length: 4 }, () => ({ url: expect.stringContaining('.png') })),
      failReason: '',
    });
    expect(await bodyOf(call('POST', `/mj/task/${id}/cancel`))).toMatchObject({ code: 4, result: id });
  });

  test('a speed may stand before the path of a submit', async () => {
    const prompt = 'a fox [[stuck]]';
    const id = at(await bodyOf(call('POST', '/mj-fast/mj/submit/imagine', { prompt })), 'result');
    expect(await bodyOf(call('GET', `/mj/task/${id}/fetch`))).toMatchObject({ id, status: 'IN_PROGRESS' });
    const headers = { 'mj-api-secret': 'wrong', authorization: '' };
    const refused = await sandbox.call('POST', '/newapi/mj-fast/mj/submit/imagine', {
      body: { prompt },
      headers,
    });
    expect(refused.status).toBe(401);
  });

  test('tasks are found by id and by the reference of the caller', async () => {
    const { newId } = speak(() => sandbox, DRIVERS.midjourney);
    const id = await newId();
    const found = async (body: unknown) => {
      const tasks = await bodyOf(call('POST', '/mj/task/list-by-condition', body));
      return Array.isArray(tasks) ? tasks.map((task) => at(task, 'id')) : tasks;
    };
    expect(await found({ ids: [id, 'none'] })).toEqual([id]);
    expect(await found({ state: 'mine' })).toEqual([id]);
    expect(await found({ state: 'other' })).toEqual([]);
    expect(await found({})).toEqual([]);
  });

  test('refusals have numbers; a banned prompt comes with 200', async () => {
    const submit = (prompt: string) => call('POST', '/mj/submit/imagine', { prompt });
    const banned = await submit('a fox [[moderate:create]]');
    expect([banned.status, await banned.json()]).toMatchObject([200, { code: 24, result: '' }]);
    const saturated = await submit('a fox [[429]]');
    expect([saturated.status, await saturated.json()]).toMatchObject([429, { code: 30 }]);
    expect(await bodyOf(submit(''))).toMatchObject({ code: 4, type: 'upstream_error' });
    expect(await bodyOf(call('GET', '/mj/task/none/fetch'))).toMatchObject({ description: 'task_no_found' });
  });
});
