import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile } from '../provider.ts';

const ORIGIN = 'https://gateway.example';
const upstream = createMockUpstream({ protocol: 'newapi', baseUrl: `${ORIGIN}/v1` });
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PNG_URI = `data:image/png;base64,${PNG.toString('base64')}`;
const HOOK = 'https://lane.example/webhooks/c1?ref=dispatch-1&sig=abc';

const video: Partial<CreateRequest> = { endpoint: 'video', kind: 'video', model: 'kling-v2' };
const suno: Partial<CreateRequest> = { endpoint: 'suno', kind: 'audio', model: 'chirp-v4' };
const midjourney: Partial<CreateRequest> = { endpoint: 'midjourney', kind: 'image', model: 'mj_imagine' };

const URLS = {
  video: `${ORIGIN}/v1/video/generations`,
  suno: `${ORIGIN}/suno/submit/music`,
  midjourney: `${ORIGIN}/mj/submit/imagine`,
};
const REQUESTS = { video, suno, midjourney };
const ENDPOINTS = Object.keys(URLS) as (keyof typeof URLS)[];

const file = (role: ReferenceFile['role'] = 'reference', mime = 'image/png', bytes = PNG): ReferenceFile => ({
  id: role,
  role,
  fileName: 'cat.png',
  mime,
  bytes: bytes.byteLength,
  read: async () => bytes,
});

async function create(endpoint: keyof typeof URLS, answer: Answer, more: Partial<CreateRequest> = {}) {
  upstream.seen.length = 0;
  upstream.reply('post', URLS[endpoint], answer);
  const outcome = await upstream.create({ ...REQUESTS[endpoint], ...more });
  expect(upstream.creates()).toHaveLength(1);
  return outcome;
}

const sentBody = () => JSON.parse(upstream.creates().at(-1)?.body ?? 'null');

describe.each(ENDPOINTS)('classification of a create: %s', (endpoint) => {
  it.each<[string, Answer]>([
    ['B01: a broken connection', { broken: true }],
    ['B02: a 502 in HTML', { status: 502, text: '<html></html>', headers: { 'content-type': 'text/html' } }],
    ['B02: a 524', { status: 524, text: 'error code: 524' }],
    [
      'B02: a gateway that lost the vendor, with 500',
      { status: 500, json: { code: 'do_request_failed', message: 'dial tcp', data: null } },
    ],
    [
      'B02: a gateway that lost the vendor, with 400',
      { status: 400, json: { code: 'do_request_failed', message: 'dial tcp', data: null } },
    ],
    [
      'B02: a gateway that lost the vendor, in the words of the Midjourney routes',
      { status: 400, json: { description: 'do_request_failed ', type: 'upstream_error', code: 5 } },
    ],
    [
      'B02: an answer of the vendor that the gateway could not read',
      {
        status: 400,
        json: { description: 'unmarshal_response_body_failed ', type: 'upstream_error', code: 5 },
      },
    ],
    [
      'B02: a job that the gateway could not write down',
      {
        status: 400,
        json: { description: 'insert_midjourney_task_failed ', type: 'upstream_error', code: 4 },
      },
    ],
    ['B02: a vendor fault inside a 200', { json: { code: 500, message: 'internal error', data: null } }],
    ['B02: a time-out inside a 200', { json: { code: 'upstream_timeout', message: 'x', data: null } }],
    [
      'a channel that was missing at the second try only',
      {
        status: 503,
        json: { error: { message: '模型 x 的可用渠道不存在（retry）', type: 'new_api_error', code: '' } },
      },
    ],
    ['B10: success without data', { json: { code: 'success', message: '', data: null } }],
    ['B10: the page of the gateway', { text: '<html></html>', headers: { 'content-type': 'text/html' } }],
    ['B10: an empty object', { json: {} }],
    ['B10: a truncated body', { text: '{"code":"success","data":"ta' }],
    ['a redirect', { status: 302, headers: { location: `${ORIGIN}/login` }, text: '' }],
  ])('%s is uncertain', async (_name, answer) => {
    expect((await create(endpoint, answer)).type).toBe('uncertain');
  });

  it.each<[string, Answer, object]>([
    [
      'too little quota',
      { status: 403, json: { code: 'quota_not_enough', message: 'user quota is not enough', data: null } },
      { code: 'quota', scope: 'account' },
    ],
    [
      'too little quota, in the words of the Midjourney routes',
      { status: 400, json: { description: 'quota_not_enough ', type: 'upstream_error', code: 4 } },
      { code: 'quota', scope: 'account' },
    ],
    [
      'a bad token',
      { status: 401, json: { error: { message: '无效的令牌', type: 'new_api_error', code: '' } } },
      { scope: 'account' },
    ],
    [
      'no channel for the model (New API)',
      {
        status: 503,
        json: {
          error: {
            message: 'No available channel for model x under group default (distributor) (request id: 1)',
            type: 'new_api_error',
            code: 'model_not_found',
          },
        },
      },
      { code: 'no_available_channel', scope: 'account' },
    ],
    [
      'no channel for the model (One API)',
      {
        status: 503,
        json: { error: { message: '当前分组 default 下对于模型 x 无可用渠道', type: 'one_api_error' } },
      },
      { code: 'no_available_channel', scope: 'account' },
    ],
    [
      'a refusal of the vendor',
      { status: 400, json: { code: 'fail_to_fetch_task', message: '{"error":"bad size"}', data: null } },
      { code: 'fail_to_fetch_task', scope: 'request' },
    ],
    [
      'no credit, told inside a 200',
      { json: { code: 402, message: 'Insufficient credits', data: null, success: false } },
      { code: 'quota', scope: 'account' },
    ],
    [
      'a bad token, told inside a 200',
      { json: { code: 401, message: 'no such user', data: null } },
      { code: '401', scope: 'account' },
    ],
    [
      'a content decision',
      {
        status: 400,
        json: { error: { message: '可能包含敏感词', type: 'upstream_error', code: 'bad_request' } },
      },
      { moderated: true },
    ],
  ])('%s is an explicit refusal', async (_name, answer, expected) => {
    expect(await create(endpoint, answer)).toMatchObject({ type: 'rejected', ...expected });
  });

  it('B28: a 429 is rate limiting, whose wait is passed on', async () => {
    const answer = {
      status: 429,
      headers: { 'retry-after': '7' },
      json: { description: '当前分组负载已饱和', type: 'upstream_error', code: 30 },
    };
    expect(await create(endpoint, answer)).toMatchObject({ type: 'rate_limited', retryAfterMs: 7_000 });
  });

  it('B28: a 429 told inside a 200 is rate limiting too', async () => {
    expect(await create(endpoint, { json: { code: 429, message: 'slow down', data: null } })).toMatchObject({
      type: 'rate_limited',
    });
  });

  it('sends the token and our reference', async () => {
    await create(endpoint, { status: 400, json: { error: 'x' } });
    const headers = upstream.creates()[0]?.headers;
    expect(headers?.get('authorization')).toBe(`Bearer ${upstream.access.apiKey}`);
    expect(headers?.get('idempotency-key')).toBe('dispatch-1');
  });

  it('refuses a file that it cannot take, before anything is sent', async () => {
    const references = [file('reference', 'application/pdf')];
    expect(await upstream.create({ ...REQUESTS[endpoint], references })).toMatchObject({
      type: 'rejected',
      code: 'unsupported_reference',
    });
    expect(upstream.seen).toEqual([]);
  });
});

describe('the unified video route', () => {
  it.each<[unknown, string]>([
    [{ id: 'task_x', task_id: 'task_x', object: 'video', status: 'queued', progress: 0 }, 'task_x'],
    [{ task_id: 'task_x', status: 'queued' }, 'task_x'],
    [{ code: 'success', message: '', data: 'task_x' }, 'task_x'],
    [{ code: 'success', data: { task_id: 'task_x' } }, 'task_x'],
    [{ code: 'success', data: { id: 17, task_id: 'task_x' } }, 'task_x'],
    [{ id: 17, task_id: 'task_x' }, 'task_x'],
    [{ data: [{ task_id: 'task_x' }] }, 'task_x'],
    [{ code: 0, data: { taskId: 'task_x' } }, 'task_x'],
    [{ request_id: 'task_x' }, 'task_x'],
    [{ data: { id: 17 } }, '17'],
  ])('takes the id of %j', async (json, id) => {
    expect(await create('video', { json })).toMatchObject({
      type: 'accepted',
      upstreamId: id,
      pollRef: { id, endpoint: 'video' },
    });
  });

  it('takes no id from a trace beside a refusal', async () => {
    const json = { code: 'invalid_request', message: 'no prompt', data: null, request_id: 'r1' };
    expect(await create('video', { json })).toMatchObject({ type: 'rejected', code: 'invalid_request' });
  });

  it('B12: keeps a huge id digit for digit', async () => {
    const text = '{"code":"success","data":{"task_id":9007199254740993}}';
    expect(await create('video', { text })).toMatchObject({ upstreamId: '9007199254740993' });
  });

  it('sends the documented fields at the top and the vendor’s own in metadata', async () => {
    await create(
      'video',
      { json: {} },
      {
        params: {
          seconds: '5',
          size: '1280x720',
          seed: '7',
          ratio: '16:9',
          negative_prompt: 'rain',
          cfg_scale: 0.5,
          n: 1,
          style: '',
        },
        references: [file()],
      },
    );
    expect(sentBody()).toEqual({
      model: 'kling-v2',
      prompt: 'a cat',
      duration: 5,
      size: '1280x720',
      seed: 7,
      n: 1,
      image: PNG_URI,
      metadata: { seed: 7, aspect_ratio: '16:9', negative_prompt: 'rain', cfg_scale: 0.5 },
    });
  });

  it('sends frames in their order, whatever the order of the files', async () => {
    const first = file('first_frame', 'image/png', Buffer.from('first'));
    const last = file('last_frame', 'image/png', Buffer.from('last'));
    await create('video', { json: {} }, { references: [last, file(), first] });
    const [a, b, c] = sentBody().images.map((uri: string) => Buffer.from(uri.split(',')[1] ?? '', 'base64'));
    expect([String(a), Buffer.compare(b, PNG), String(c)]).toEqual(['first', 0, 'last']);
    expect(sentBody()).not.toHaveProperty('metadata');
  });

  it.each([
    [ORIGIN, '/v1/video/generations'],
    [`${ORIGIN}/v1/`, '/v1/video/generations'],
    [`${ORIGIN}/relay`, '/relay/v1/video/generations'],
  ])('reads the base URL %s with or without its version', async (baseUrl, path) => {
    upstream.reply('post', `${ORIGIN}${path}`, { json: { task_id: 't' } });
    const outcome = await upstream.runtime.create(
      { ...upstream.access, baseUrl },
      { kind: 'video', endpoint: 'video', model: 'm', prompt: 'p', params: {}, references: [] },
      { dispatchId: 'd', timeoutMs: 30_000, signal: new AbortController().signal },
    );
    expect(outcome.type).toBe('accepted');
  });
});

describe('Suno', () => {
  it('describes a song by the prompt alone, and asks to be told', async () => {
    upstream.reply('post', URLS.suno, { json: { code: 'success', message: '', data: 'song_1' } });
    const outcome = await upstream.create(
      { ...suno, params: { instrumental: 'true' } },
      { webhookUrl: HOOK },
    );
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: 'song_1',
      pollRef: { id: 'song_1', endpoint: 'suno' },
    });
    expect(sentBody()).toEqual({
      gpt_description_prompt: 'a cat',
      make_instrumental: true,
      mv: 'chirp-v4',
      notify_hook: HOOK,
    });
  });

  it.each<[string, Partial<CreateRequest>, object]>([
    [
      'own lyrics',
      { params: { lyrics: 'la la', title: 'Cat' } },
      { prompt: 'la la', tags: 'a cat', title: 'Cat', make_instrumental: false, mv: 'chirp-v4' },
    ],
    [
      'tags: the prompt is sung',
      { params: { tags: 'jazz' } },
      { prompt: 'a cat', tags: 'jazz', make_instrumental: false, mv: 'chirp-v4' },
    ],
    [
      'tags and no voice',
      { params: { style: 'jazz', instrumental: true } },
      { prompt: '', tags: 'jazz', make_instrumental: true, mv: 'chirp-v4' },
    ],
    [
      'the gateway’s own model name',
      { model: 'suno_music', params: { mv: 'chirp-v3-5' } },
      { gpt_description_prompt: 'a cat', make_instrumental: false, mv: 'chirp-v3-5' },
    ],
  ])('%s', async (_name, request, expected) => {
    await create('suno', { json: {} }, request);
    expect(sentBody()).toEqual(expected);
  });

  it.each([
    [{ code: 1, data: 'song_1' }],
    [{ code: 200, msg: 'success', data: { taskId: 'song_1' } }],
    [{ code: 'success', data: { task_id: 'song_1' } }],
  ])('takes the id of %j', async (json) => {
    expect(await create('suno', { json })).toMatchObject({ type: 'accepted', upstreamId: 'song_1' });
  });
});

describe('Midjourney', () => {
  it('sends switches behind the prompt, our reference as state and the hook', async () => {
    upstream.reply('post', URLS.midjourney, { json: { code: 1, description: 'ok', result: '1712' } });
    const outcome = await upstream.create(
      {
        ...midjourney,
        prompt: 'a cat --s 50',
        params: { ratio: '16:9', seed: 7, stylize: 100, n: 4, accountFilter: { modes: ['FAST'] } },
        references: [file()],
      },
      { webhookUrl: HOOK },
    );
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: '1712',
      pollRef: { id: '1712', endpoint: 'midjourney' },
    });
    expect(sentBody()).toEqual({
      prompt: 'a cat --s 50 --ar 16:9 --seed 7',
      botType: 'MID_JOURNEY',
      base64Array: [PNG_URI],
      state: 'dispatch-1',
      notifyHook: HOOK,
      accountFilter: { modes: ['FAST'] },
    });
  });

  it.each([
    ['mj_imagine', {}, '/mj/submit/imagine', 'MID_JOURNEY'],
    ['mj_fast_imagine', {}, '/mj-fast/mj/submit/imagine', 'MID_JOURNEY'],
    ['niji_relax', {}, '/mj-relax/mj/submit/imagine', 'NIJI_JOURNEY'],
    ['mj_fast_imagine', { mode: 'turbo' }, '/mj-turbo/mj/submit/imagine', 'MID_JOURNEY'],
    ['mj_imagine', { mode: '../../admin' }, '/mj/submit/imagine', 'MID_JOURNEY'],
  ])('the model %s with %j goes to %s', async (model, params, path, botType) => {
    upstream.reply('post', `${ORIGIN}${path}`, { json: { code: 1, result: '1' } });
    expect(await upstream.create({ ...midjourney, model, params })).toMatchObject({ type: 'accepted' });
    expect(sentBody()).toMatchObject({ botType, prompt: 'a cat' });
  });

  it.each<[string, unknown, object]>([
    ['taken', { code: 1, description: '提交成功', result: '17' }, { type: 'accepted', upstreamId: '17' }],
    ['there already', { code: 21, description: '任务已存在', result: '17' }, { type: 'accepted' }],
    ['queued', { code: 22, description: '排队中', result: '17' }, { type: 'accepted' }],
    [
      'a full queue, which names an id and holds no job',
      { code: 23, description: '队列已满', result: '14001929738841620' },
      { type: 'rate_limited', message: '队列已满' },
    ],
    ['saturated', { code: 30, description: 'saturated', result: '' }, { type: 'rate_limited' }],
    [
      'a banned word',
      { code: 24, description: '可能包含敏感词', properties: { bannedWord: 'x' } },
      { type: 'rejected', code: 'banned_prompt', moderated: true },
    ],
    [
      'no account',
      { code: 3, description: 'No available account instance' },
      { type: 'rejected', code: 'no_account', scope: 'account' },
    ],
    ['invalid', { code: 4, description: 'prompt error' }, { type: 'rejected', scope: 'request' }],
    ['quota', { code: 4, description: 'quota_not_enough' }, { type: 'rejected', code: 'quota' }],
    ['an error object', { error: { message: 'no', code: 'nope' } }, { type: 'rejected', code: 'nope' }],
    ['a failure inside the proxy', { code: 9, description: '系统异常', result: '17' }, { type: 'uncertain' }],
    ['a code of nobody', { code: 77, description: 'x', result: '17' }, { type: 'uncertain' }],
    ['a lost vendor', { code: 4, description: 'do_request_failed' }, { type: 'uncertain' }],
    ['taken, without an id', { code: 1, description: '提交成功', result: '' }, { type: 'uncertain' }],
  ])('reads %s', async (_name, json, expected) => {
    expect(await create('midjourney', { json })).toMatchObject(expected);
  });
});

describe.each(['suno', 'midjourney'] as const)('B12: a huge id of %s', (endpoint) => {
  it('is kept digit for digit, into the poll address', async () => {
    const text = '{"code":1,"data":9007199254740993,"result":9007199254740993}';
    expect(await create(endpoint, { text })).toMatchObject({ upstreamId: '9007199254740993' });
    const path = endpoint === 'suno' ? '/suno/fetch/:id' : '/mj/task/:id/fetch';
    upstream.reply('get', `${ORIGIN}${path}`, { json: { status: 'IN_PROGRESS' } });
    expect((await upstream.poll(endpoint, '9007199254740993')).type).toBe('pending');
    expect(upstream.seen.at(-1)?.path).toContain('/9007199254740993');
  });
});

describe('OpenAI routes of the gateway', () => {
  it('asks for a response at once: the gateway has no route to read one later', async () => {
    upstream.reply('post', '/responses', {
      json: {
        id: 'resp_1',
        status: 'completed',
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
      },
    });
    expect(await upstream.create({ endpoint: 'responses', kind: 'text' })).toMatchObject({
      type: 'done',
      artefacts: [{ type: 'text', text: 'Hi' }],
    });
    expect(sentBody()).toEqual({ model: 'test-model', input: 'a cat', stream: false });
  });

  it.each<[string, string, Answer, object]>([
    [
      'images',
      '/images/generations',
      { json: { data: [{ url: 'https://cdn.example/1.png' }] } },
      { type: 'done' },
    ],
    ['chat', '/chat/completions', { json: { choices: [{ message: { content: 'Hi' } }] } }, { type: 'done' }],
    [
      'videos',
      '/videos',
      { json: { id: 'task_1', status: 'queued' } },
      { type: 'accepted', upstreamId: 'task_1' },
    ],
  ])('%s go to %s', async (endpoint, path, answer, expected) => {
    upstream.reply('post', path, answer);
    expect(await upstream.create({ endpoint })).toMatchObject(expected);
  });

  it('lists models as its test call', async () => {
    upstream.reply('get', '/models', { json: { data: [{ id: 'a' }] } });
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({ ok: true });
    upstream.reply('get', '/models', { text: '<html></html>' });
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok: false,
      message: expect.stringContaining('New API'),
    });
  });
});
