import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestSandbox, type TestSandbox } from './test-client.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

const errorOf = async (response: Response) =>
  ((await response.json()) as { error: Record<string, unknown> }).error;

describe('POST /v1/images/generations', () => {
  test('GPT image models answer base64 of the size and number ordered', async () => {
    const response = await sandbox.createImage({ n: 2, size: '96x64' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    const body = (await response.json()) as {
      data: { b64_json: string; url?: string }[];
      usage: { total_tokens: number };
    };
    expect(body).toMatchObject({ created: expect.any(Number), size: '96x64', output_format: 'png' });
    expect(body.usage.total_tokens).toBeGreaterThan(0);
    expect(body.data).toHaveLength(2);
    expect(new Set(body.data.map((item) => item.b64_json)).size).toBe(2);
    for (const item of body.data) {
      const bytes = Buffer.from(item.b64_json, 'base64');
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 96, height: 64 });
      expect(item.url).toBeUndefined();
    }
  });

  test('DALL·E models answer URLs, which need no key', async () => {
    const response = await sandbox.createImage({ model: 'dall-e-2', size: '128x128' });
    const { data } = (await response.json()) as { data: { url: string }[] };
    const file = await fetch(data[0]?.url ?? '');
    expect(file.headers.get('content-type')).toBe('image/png');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.length).toBe(Number(file.headers.get('content-length')));
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 128, height: 128 });
  });

  test('response_format and output_format are honoured', async () => {
    const response = await sandbox.createImage({ response_format: 'url', output_format: 'webp' });
    const { data } = (await response.json()) as { data: { url: string }[] };
    const file = await fetch(data[0]?.url ?? '');
    expect(file.headers.get('content-type')).toBe('image/webp');
  });
});

test('POST /v1/images/edits takes reference images in a form', async () => {
  const edit = (...images: Blob[]) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({
      model: 'gpt-image-1',
      prompt: 'a fox',
      n: '2',
      size: '96x64',
    }))
      form.set(name, value);
    for (const image of images) form.append('image[]', image, 'reference');
    return fetch(`${sandbox.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.apiKey}` },
      body: form,
    });
  };
  const reference = new Blob([new Uint8Array([1, 2, 3])], { type: 'image/png' });
  const { data } = (await (await edit(reference, reference)).json()) as { data: { b64_json: string }[] };
  expect(data).toHaveLength(2);
  expect(await errorOf(await edit())).toMatchObject({ param: 'image' });
  expect(await errorOf(await edit(new Blob(['x'], { type: 'text/plain' })))).toMatchObject({
    code: 'invalid_image',
  });
});

describe('/v1/videos', () => {
  test('create, poll, content, thumbnail, list, delete', async () => {
    const created = await sandbox.createVideo({ prompt: 'a lighthouse' });
    const video = (await created.json()) as { id: string };
    expect(video).toMatchObject({
      id: expect.stringMatching(/^video_[0-9a-f]{32}$/),
      object: 'video',
      model: 'sora-2',
      progress: expect.any(Number),
      created_at: expect.any(Number),
      prompt: 'a lighthouse',
      seconds: '1',
      size: '128x96',
      remixed_from_video_id: null,
      error: null,
    });
    const done = await sandbox.waitForVideo(video.id, 'completed');
    expect(done).toMatchObject({
      progress: 100,
      completed_at: expect.any(Number),
      expires_at: expect.any(Number),
    });
    expect(done).not.toHaveProperty('url');

    const content = await sandbox.call('GET', `/v1/videos/${video.id}/content`);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    expect(
      Buffer.from(await content.arrayBuffer())
        .subarray(4, 8)
        .toString(),
    ).toBe('ftyp');
    const thumbnail = await sandbox.call('GET', `/v1/videos/${video.id}/content?variant=thumbnail`);
    expect(await sharp(Buffer.from(await thumbnail.arrayBuffer())).metadata()).toMatchObject({
      format: 'webp',
      width: 128,
    });

    const list = await (await sandbox.call('GET', '/v1/videos?limit=1')).json();
    expect(list).toMatchObject({
      object: 'list',
      data: [{ id: video.id }],
      first_id: video.id,
      has_more: false,
    });
    const deleted = await sandbox.call('DELETE', `/v1/videos/${video.id}`);
    expect(await deleted.json()).toEqual({ id: video.id, object: 'video.deleted', deleted: true });
    expect((await sandbox.call('GET', `/v1/videos/${video.id}`)).status).toBe(404);
  });

  test('progress rises to 100', async () => {
    const id = await sandbox.videoId({ prompt: 'slowly [[delay:300]]' });
    const seen: { status: string; progress: number }[] = [];
    while (seen.at(-1)?.status !== 'completed') {
      seen.push((await (await sandbox.call('GET', `/v1/videos/${id}`)).json()) as (typeof seen)[number]);
    }
    expect(seen.map((item) => item.progress)).toEqual(
      seen.map((item) => item.progress).toSorted((a, b) => a - b),
    );
    expect(seen.at(-1)?.progress).toBe(100);
  });

  test('a multipart create with an input_reference', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({
      model: 'sora-2',
      prompt: 'a fox',
      seconds: '1',
      size: '128x96',
    }))
      form.set(name, value);
    form.set('input_reference', new Blob([new Uint8Array([1, 2, 3])], { type: 'image/png' }), 'fox.png');
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    const created = await fetch(`${sandbox.url}/v1/videos`, { method: 'POST', headers, body: form });
    expect(await created.json()).toMatchObject({ object: 'video', seconds: '1' });
    form.set('input_reference', new Blob(['text'], { type: 'text/plain' }), 'fox.txt');
    const refused = await fetch(`${sandbox.url}/v1/videos`, { method: 'POST', headers, body: form });
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ param: 'input_reference' });
  });

  test('content before the end is 400, deletion too', async () => {
    const id = await sandbox.videoId({ prompt: 'later [[stuck]]' });
    expect((await sandbox.call('GET', `/v1/videos/${id}/content`)).status).toBe(400);
    expect((await sandbox.call('DELETE', `/v1/videos/${id}`)).status).toBe(400);
  });
});

describe('POST /v1/audio/speech', () => {
  test.each([
    { format: undefined, mime: 'audio/mpeg' },
    { format: 'wav', mime: 'audio/wav' },
    { format: 'pcm', mime: 'audio/pcm' },
  ])('$format answers bytes as $mime', async ({ format, mime }) => {
    const response = await sandbox.createSpeech({ response_format: format });
    expect(response.headers.get('content-type')).toBe(mime);
    expect((await response.arrayBuffer()).byteLength).toBe(Number(response.headers.get('content-length')));
  });
});

describe('/v1/responses', () => {
  test('background: create, poll to the text and its usage', async () => {
    const created = (await (
      await sandbox.createText({ input: 'a lighthouse [[delay:1000000]]', metadata: { task: 'one' } })
    ).json()) as { id: string };
    expect(created).toMatchObject({
      object: 'response',
      status: 'queued',
      background: true,
      output: [],
      usage: null,
      metadata: { task: 'one' },
    });
    await sandbox.control.release({ jobId: created.id });
    const done = await (await sandbox.call('GET', `/v1/responses/${created.id}`)).json();
    expect(done).toMatchObject({
      id: created.id,
      status: 'completed',
      error: null,
      incomplete_details: null,
      output: [
        { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text' }] },
      ],
      usage: {
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
    });
  });

  test('cancel ends a running one and answers a finished one as it is', async () => {
    const { id } = (await (await sandbox.createText({ input: 'long [[delay:100000]]' })).json()) as {
      id: string;
    };
    const cancelled = await sandbox.call('POST', `/v1/responses/${id}/cancel`);
    expect(await cancelled.json()).toMatchObject({ id, status: 'cancelled' });
    expect(await (await sandbox.call('GET', `/v1/responses/${id}`)).json()).toMatchObject({
      status: 'cancelled',
    });
    const finished = (await (await sandbox.createText()).json()) as { id: string };
    expect(await (await sandbox.call('POST', `/v1/responses/${finished.id}/cancel`)).json()).toMatchObject({
      status: 'completed',
    });
  });

  test('without background the answer is the text; lists of messages are understood; the limit cuts', async () => {
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'a lighthouse' }] }];
    const response = await sandbox.createText({ input, background: false, max_output_tokens: 20 });
    expect(await response.json()).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 20 },
    });
  });
});

test('POST /v1/chat/completions', async () => {
  const body = {
    model: 'gpt-4.1-mini',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a lighthouse' },
    ],
  };
  const response = await sandbox.call('POST', '/v1/chat/completions', { body });
  expect(await response.json()).toMatchObject({
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: expect.stringContaining('hared') },
      },
    ],
    usage: { total_tokens: expect.any(Number) },
  });
});

test('GET /v1/models', async () => {
  const { data } = (await (await sandbox.call('GET', '/v1/models')).json()) as { data: { id: string }[] };
  expect(data.map((model) => model.id)).toEqual(
    expect.arrayContaining(['gpt-image-1', 'sora-2', 'tts-1', 'gpt-5-mini']),
  );
});

describe('refusals', () => {
  test('401 without a key and with a wrong one', async () => {
    for (const authorization of ['', 'Bearer wrong', 'Basic abc']) {
      const response = await sandbox.call('GET', '/v1/models', { headers: { authorization } });
      expect(response.status).toBe(401);
      expect(await errorOf(response)).toMatchObject({
        type: 'authentication_error',
        message: expect.any(String),
        param: null,
      });
    }
  });

  test.each([
    ['no prompt', '/v1/images/generations', { model: 'gpt-image-1' }, 'missing_required_parameter', 'prompt'],
    ['too many images', '/v1/images/generations', { prompt: 'x', n: 11 }, 'invalid_value', 'n'],
    [
      'a size out of range',
      '/v1/images/generations',
      { prompt: 'x', size: '9999x10' },
      'invalid_value',
      'size',
    ],
    ['an unknown parameter', '/v1/images/generations', { prompt: 'x', seed: 1 }, 'unknown_parameter', 'seed'],
    [
      'several images of dall-e-3',
      '/v1/images/generations',
      { model: 'dall-e-3', prompt: 'x', n: 2 },
      'invalid_value',
      'n',
    ],
    ['seconds as a number', '/v1/videos', { prompt: 'x', seconds: 4 }, 'invalid_type', 'seconds'],
    ['an odd video size', '/v1/videos', { prompt: 'x', size: '101x100' }, 'invalid_value', 'size'],
    [
      'speech without a voice',
      '/v1/audio/speech',
      { model: 'tts-1', input: 'x' },
      'missing_required_parameter',
      'voice',
    ],
    [
      'a long speech',
      '/v1/audio/speech',
      { model: 'tts-1', input: 'x'.repeat(4_097), voice: 'alloy' },
      'invalid_value',
      'input',
    ],
    [
      'background without store',
      '/v1/responses',
      { model: 'gpt-5-mini', input: 'x', background: true, store: false },
      'invalid_value',
      'store',
    ],
    [
      'a stream',
      '/v1/chat/completions',
      { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'x' }], stream: true },
      'invalid_value',
      'stream',
    ],
    [
      'a directive that makes no sense',
      '/v1/videos',
      { prompt: '[[delay:soon]]' },
      'invalid_directive',
      'prompt',
    ],
  ])('400 for %s', async (_name, path, body, ...[code, param]) => {
    const response = await sandbox.call('POST', path, { body });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ type: 'invalid_request_error', code, param });
  });

  test('400 for a body that is no JSON object', async () => {
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' };
    for (const body of ['{"prompt":', '[]', '']) {
      const response = await fetch(`${sandbox.url}/v1/videos`, { method: 'POST', headers, body });
      expect(response.status).toBe(400);
    }
  });

  test('404 for another kind of model, an unknown job, an unknown path', async () => {
    expect(await errorOf(await sandbox.createVideo({ model: 'gpt-image-1' }))).toMatchObject({
      code: 'model_not_found',
    });
    expect((await sandbox.createImage({ model: 'sandbox-image' })).status).toBe(200);
    for (const path of [
      '/v1/videos/video_none',
      '/v1/responses/resp_none',
      '/v1/nothing',
      '/files/none/0.png',
    ]) {
      expect((await sandbox.call('GET', path)).status, path).toBe(404);
    }
  });

  test('a job is hidden from another key of the same upstream', async () => {
    const id = await sandbox.videoId();
    await sandbox.control.configure({ apiKeys: [sandbox.apiKey, 'second-key'] });
    const other = await sandbox.call('GET', `/v1/videos/${id}`, {
      headers: { authorization: 'Bearer second-key' },
    });
    expect(other.status).toBe(404);
    expect((await sandbox.call('GET', `/v1/videos/${id}`)).status).toBe(200);
  });
});
