import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile } from '../provider.ts';

const upstream = createMockUpstream();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** A WAV header with a few samples. */
const WAV = Buffer.concat([
  Buffer.from(
    'RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x08\0\0\0',
    'latin1',
  ),
  Buffer.alloc(8, 1),
]);

const image: Partial<CreateRequest> = { endpoint: 'images' };
const video: Partial<CreateRequest> = {
  endpoint: 'videos',
  kind: 'video',
  params: { seconds: 8, size: '720x1280' },
};
const speech: Partial<CreateRequest> = {
  endpoint: 'speech',
  kind: 'audio',
  params: { voice: 'alloy', speed: '1.25' },
};
const response: Partial<CreateRequest> = { endpoint: 'responses', kind: 'text' };
const chat: Partial<CreateRequest> = { endpoint: 'chat', kind: 'text' };

const PATHS = {
  images: '/images/generations',
  videos: '/videos',
  speech: '/audio/speech',
  responses: '/responses',
  chat: '/chat/completions',
};
const REQUESTS = { images: image, videos: video, speech, responses: response, chat };
const ENDPOINTS = Object.keys(PATHS) as (keyof typeof PATHS)[];

async function create(endpoint: keyof typeof PATHS, answer: Answer, more: Partial<CreateRequest> = {}) {
  upstream.reply('post', PATHS[endpoint], answer);
  const outcome = await upstream.create({ ...REQUESTS[endpoint], ...more });
  expect(upstream.creates()).toHaveLength(1);
  return outcome;
}

const file = (mime: string, bytes: Uint8Array = PNG): ReferenceFile => ({
  id: 'f',
  role: 'reference',
  fileName: 'cat.png',
  mime,
  bytes: bytes.byteLength,
  read: async () => bytes,
});

describe.each(ENDPOINTS)('classification of a create: %s', (endpoint) => {
  it.each<[string, Answer]>([
    [
      'B02: a 502 in HTML',
      { status: 502, text: '<html>Bad gateway</html>', headers: { 'content-type': 'text/html' } },
    ],
    ['B02: a 504', { status: 504, json: { error: { message: 'gateway timeout' } } }],
    ['B02: a 524', { status: 524, text: 'error code: 524' }],
    [
      'B02: a 500 with an envelope',
      { status: 500, json: { error: { message: 'oops', code: 'server_error' } } },
    ],
    ['B02: a 408', { status: 408, json: { error: { message: 'slow' } } }],
    [
      'B02: do_request_failed with 200',
      { json: { code: 'do_request_failed', message: 'dial tcp', data: null } },
    ],
    [
      'B02: do_request_failed with 400',
      { status: 400, json: { code: 'do_request_failed', message: 'dial tcp', data: null } },
    ],
    [
      'B02: do_request_failed with 500',
      { status: 500, json: { code: 'do_request_failed', message: 'dial tcp', data: null } },
    ],
    ['a 409', { status: 409, json: { error: { message: 'in progress' } } }],
    ['a 400 in HTML', { status: 400, text: '<html>Bad Request</html>' }],
    ['a 403 in HTML', { status: 403, text: '<html>Forbidden</html>' }],
    ['a 400 without a word', { status: 400, json: {} }],
    ['a redirect', { status: 302, headers: { location: 'https://upstream.example/login' }, text: '' }],
    ['B10: success without data', { json: { code: 'success', message: '', data: null } }],
    ['B10: an empty list', { json: { data: [] } }],
    ['B10: an empty body', { text: '' }],
    ['B10: null', { json: null }],
    ['B10: a list', { json: [] }],
    [
      'B10: HTML with 200',
      { text: '<html>maintenance failed</html>', headers: { 'content-type': 'text/html' } },
    ],
    ['B10: a truncated body', { text: '{"id":"vid', headers: { 'content-type': 'application/json' } }],
    ['B01: a broken connection', { broken: true }],
  ])('%s is uncertain', async (_name, answer) => {
    expect((await create(endpoint, answer)).type).toBe('uncertain');
  });

  it.each<[string, Answer, object]>([
    [
      'a 400 with an envelope',
      {
        status: 400,
        json: { error: { message: 'bad size', code: 'invalid_size', type: 'invalid_request_error' } },
      },
      { code: 'invalid_size', message: 'bad size' },
    ],
    ['a 401', { status: 401, json: { error: { message: 'Incorrect API key' } } }, { code: 'unauthorized' }],
    ['a 402', { status: 402, json: { message: 'pay first' } }, { code: 'quota' }],
    [
      'a 404 for the model',
      { status: 404, json: { error: { message: 'no model', code: 'model_not_found' } } },
      { code: 'model_not_found' },
    ],
    [
      'a 422 of FastAPI',
      { status: 422, json: { detail: [{ msg: 'field required' }] } },
      { code: 'http_422', message: 'field required' },
    ],
    ['an error as text', { status: 400, json: { error: 'no' } }, { message: 'no' }],
    ['an error as a list', { status: 400, json: { error: [{ message: 'no', code: 'x' }] } }, { code: 'x' }],
    [
      'a moderation block',
      {
        status: 400,
        json: { error: { message: 'Rejected by our safety system', code: 'moderation_blocked' } },
      },
      { code: 'moderation_blocked', moderated: true },
    ],
    [
      'a quota 429',
      { status: 429, json: { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } } },
      { code: 'quota' },
    ],
    [
      'B10: success:false with 200',
      { json: { success: false, message: 'no quota' } },
      { message: 'no quota' },
    ],
    ['B10: an error with 200', { json: { error: { message: 'not today', code: 'nope' } } }, { code: 'nope' }],
    [
      'a failure code with 200',
      { json: { code: 'quota_not_enough', message: 'no credit', data: null } },
      { code: 'quota' },
    ],
  ])('%s is an explicit refusal', async (_name, answer, expected) => {
    expect(await create(endpoint, answer)).toMatchObject({ type: 'rejected', ...expected });
  });

  it.each<[string, Answer, object]>([
    [
      'with seconds',
      {
        status: 429,
        headers: { 'retry-after': '7' },
        json: { error: { message: 'slow down', code: 'rate_limit_exceeded' } },
      },
      { retryAfterMs: 7_000 },
    ],
    ['without a hint', { status: 429, text: 'Too Many Requests' }, {}],
  ])('B28: a 429 %s is rate limiting', async (_name, answer, expected) => {
    expect(await create(endpoint, answer)).toMatchObject({ type: 'rate_limited', ...expected });
  });

  it('B28: understands a date in Retry-After', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const outcome = await create(endpoint, { status: 429, headers: { 'retry-after': date }, json: {} });
    if (outcome.type !== 'rate_limited') throw new Error(outcome.type);
    expect(outcome.retryAfterMs).toBeGreaterThan(20_000);
    expect(outcome.retryAfterMs).toBeLessThanOrEqual(61_000);
  });

  it('sends our reference in both headers, and the key', async () => {
    await create(endpoint, { status: 400, json: { error: 'x' } });
    const headers = upstream.creates()[0]?.headers;
    expect(headers?.get('idempotency-key')).toBe('dispatch-1');
    expect(headers?.get('x-client-request-id')).toBe('dispatch-1');
    expect(headers?.get('authorization')).toBe(`Bearer ${upstream.access.apiKey}`);
  });
});

describe('images', () => {
  it('keeps base64 in storage and passes addresses on, in order, without the bytes in the raw answer', async () => {
    const b64 = PNG.toString('base64');
    const outcome = await create('images', {
      json: {
        created: 1,
        data: [
          { b64_json: b64 },
          null,
          { url: 'https://cdn.example/2.png' },
          { b64_json: '' },
          { url: 'data:image/png;base64,AAAA' },
        ],
        usage: { input_tokens: 3, output_tokens: 9 },
      },
    });
    expect(outcome).toMatchObject({
      type: 'done',
      artefacts: [
        { type: 'stored', storageKey: 'incoming/dispatch-1/0' },
        { type: 'url', url: 'https://cdn.example/2.png' },
        { type: 'stored', storageKey: 'incoming/dispatch-1/2' },
      ],
      usage: { inputTokens: 3, outputTokens: 9 },
    });
    expect(Buffer.from(upstream.storage.files.get('incoming/dispatch-1/0') ?? [])).toEqual(PNG);
    expect(JSON.stringify(outcome)).not.toContain(b64);
  });

  it.each([
    [{ data: [{ url: 'file:///etc/passwd' }] }],
    [{ data: [{ url: '//cdn.example/x' }] }],
    [{ data: 'x' }],
    [{ data: [{}] }],
  ])('takes no artefact from %j', async (json) => {
    expect((await create('images', { json })).type).toBe('uncertain');
  });

  it('sends response_format to DALL·E only', async () => {
    await create('images', { json: {} }, { model: 'dall-e-3', params: { n: 1, style: 'vivid' } });
    expect(JSON.parse(upstream.creates()[0]?.body ?? '')).toEqual({
      model: 'dall-e-3',
      prompt: 'a cat',
      response_format: 'b64_json',
      n: 1,
      style: 'vivid',
    });
    upstream.seen.length = 0;
    await create(
      'images',
      { json: {} },
      { model: 'gpt-image-1', params: { n: 2, size: 'auto', response_format: 'url', user: '' } },
    );
    expect(JSON.parse(upstream.creates()[0]?.body ?? '')).toEqual({
      model: 'gpt-image-1',
      prompt: 'a cat',
      n: 2,
      size: 'auto',
    });
  });

  it('sends reference images as a form to /images/edits', async () => {
    upstream.reply('post', '/images/edits', { json: { data: [{ url: 'https://cdn.example/1.png' }] } });
    const outcome = await upstream.create({
      ...image,
      references: [file('image/png'), file('image/png')],
      params: { n: 1 },
    });
    expect(outcome.type).toBe('done');
    expect(upstream.creates()[0]?.headers.get('content-type')).toMatch(/^multipart\/form-data/);
    expect(upstream.creates()[0]?.body).toContain('name="image[]"; filename="cat.png"');
  });

  it('sends one reference image under the singular name, beside the parameters', async () => {
    upstream.reply('post', '/images/edits', { json: { data: [{ b64_json: PNG.toString('base64') }] } });
    const outcome = await upstream.create({
      ...image,
      references: [file('image/png')],
      params: { n: 2, size: '1024x1024', quality: 'low' },
    });
    expect(outcome).toMatchObject({ type: 'done', artefacts: [{ type: 'stored' }] });
    const body = upstream.creates()[0]?.body;
    expect(body).toContain('name="image"; filename="cat.png"');
    expect(body).toMatch(/name="n"\r\n\r\n2\r\n/);
    expect(body).toMatch(/name="size"\r\n\r\n1024x1024\r\n/);
    expect(body).toMatch(/name="prompt"\r\n\r\na cat\r\n/);
  });

  it('waits out a passing storage fault instead of losing what was paid for', async () => {
    upstream.storage.failPuts(1);
    expect(await create('images', { json: { data: [{ b64_json: PNG.toString('base64') }] } })).toMatchObject({
      type: 'done',
    });
  });
});

describe('videos', () => {
  it.each<[unknown, string]>([
    [{ id: 'video_1', object: 'video', status: 'queued', progress: 0 }, 'video_1'],
    [{ task_id: 'task_x', status: 'queued' }, 'task_x'],
    [{ code: 'success', data: 'task_y' }, 'task_y'],
    [{ code: 'success', data: '12345' }, '12345'],
    [{ code: 'success', data: { task_id: 'task_z' } }, 'task_z'],
    [{ data: [{ task_id: 'task_l' }] }, 'task_l'],
    [{ id: 'video_2', status: 'failed', error: { message: 'x' } }, 'video_2'],
    [{ id: null, task_id: 'undefined', data: { id: 7 } }, '7'],
  ])('takes the id of %j', async (json, id) => {
    expect(await create('videos', { json })).toMatchObject({
      type: 'accepted',
      upstreamId: id,
      pollRef: { id, endpoint: 'videos' },
    });
  });

  it('B12: keeps a huge id digit for digit, into the poll address', async () => {
    const outcome = await create('videos', {
      text: '{"data":{"task_id":9007199254740993}}',
      headers: { 'content-type': 'application/json' },
    });
    if (outcome.type !== 'accepted') throw new Error(outcome.type);
    expect(outcome.upstreamId).toBe('9007199254740993');
    upstream.reply('get', '/videos/9007199254740993', { json: { status: 'queued' } });
    expect((await upstream.poll('videos', outcome.pollRef.id)).type).toBe('pending');
    expect(upstream.seen.at(-1)?.path).toBe('/v1/videos/9007199254740993');
  });

  it.each(['null', 'undefined', '[object Object]', '', '..', 'a b'])('B10: %j is no id', async (id) => {
    expect((await create('videos', { json: { id } })).type).toBe('uncertain');
  });

  it('sends seconds as text, as JSON without and as a form with a reference', async () => {
    await create('videos', { json: { id: 'v1' } });
    expect(JSON.parse(upstream.creates()[0]?.body ?? '')).toEqual({
      model: 'test-model',
      prompt: 'a cat',
      seconds: '8',
      size: '720x1280',
    });
    upstream.seen.length = 0;
    await create('videos', { json: { id: 'v1' } }, { references: [file('image/png')] });
    expect(upstream.creates()[0]?.body).toContain('name="input_reference"; filename="cat.png"');
    expect(upstream.creates()[0]?.body).toMatch(/name="seconds"\r\n\r\n8\r\n/);
  });
});

describe('speech', () => {
  it('keeps bytes that are audio by name and by content', async () => {
    const outcome = await create('speech', { bytes: WAV, headers: { 'content-type': 'audio/wav' } });
    expect(outcome).toMatchObject({
      type: 'done',
      artefacts: [{ type: 'stored', storageKey: 'incoming/dispatch-1/0', mime: 'audio/wav' }],
    });
    expect(JSON.parse(upstream.creates()[0]?.body ?? '')).toEqual({
      model: 'test-model',
      input: 'a cat',
      voice: 'alloy',
      speed: 1.25,
    });
  });

  it.each<[string, Answer]>([
    ['an image', { bytes: PNG, headers: { 'content-type': 'audio/mpeg' } }],
    ['text under an audio name', { text: 'oops', headers: { 'content-type': 'audio/mpeg' } }],
    ['JSON that says nothing', { json: { ok: true } }],
    ['audio under the name of a page', { bytes: WAV, headers: { 'content-type': 'text/html' } }],
  ])('B60: %s is uncertain and is not stored', async (_name, answer) => {
    expect((await create('speech', answer)).type).toBe('uncertain');
    expect(upstream.storage.files.size).toBe(0);
  });

  it('B60: an error in JSON with 200, even under an audio name, is a refusal', async () => {
    const json = { error: { message: 'voice not found', code: 'invalid_voice' } };
    expect(await create('speech', { json, headers: { 'content-type': 'audio/mpeg' } })).toMatchObject({
      type: 'rejected',
      code: 'invalid_voice',
    });
  });
});

describe('responses', () => {
  const message = (text: string) => [
    { type: 'reasoning' },
    {
      type: 'message',
      content: [
        { type: 'output_text', text },
        { type: 'output_text', text: '!' },
      ],
    },
  ];

  it('asks for background work whose result is stored', async () => {
    await create(
      'responses',
      { json: { id: 'resp_1', status: 'queued' } },
      { params: { reasoning_effort: 'low', instructions: 'be brief', max_tokens: 50 } },
    );
    expect(JSON.parse(upstream.creates()[0]?.body ?? '')).toEqual({
      model: 'test-model',
      input: 'a cat',
      reasoning: { effort: 'low' },
      instructions: 'be brief',
      max_output_tokens: 50,
      background: true,
      store: true,
      metadata: { client_reference: 'dispatch-1' },
    });
  });

  it.each<[string, unknown, object]>([
    [
      'queued',
      { id: 'resp_1', status: 'queued' },
      { type: 'accepted', upstreamId: 'resp_1', pollRef: { id: 'resp_1', endpoint: 'responses' } },
    ],
    ['an unknown status', { id: 'resp_1', status: 'thinking' }, { type: 'accepted' }],
    [
      'completed at once',
      {
        id: 'resp_1',
        status: 'completed',
        output: message('Hi'),
        usage: { input_tokens: 1, output_tokens: 2 },
      },
      {
        type: 'done',
        artefacts: [{ type: 'text', text: 'Hi!' }],
        usage: { inputTokens: 1, outputTokens: 2 },
      },
    ],
    [
      'incomplete with text',
      { id: 'resp_1', status: 'incomplete', output: message('Half') },
      { type: 'done', artefacts: [{ type: 'text', text: 'Half!' }] },
    ],
    ['completed without text', { id: 'resp_1', status: 'completed', output: [] }, { type: 'accepted' }],
    [
      'failed at once',
      { id: 'resp_1', status: 'failed', error: { code: 'invalid_prompt', message: 'no' } },
      { type: 'rejected', code: 'invalid_prompt' },
    ],
  ])('reads %s', async (_name, json, expected) => {
    expect(await create('responses', { json })).toMatchObject(expected);
  });
});

describe('chat', () => {
  const choice = (content: unknown, finish_reason = 'stop') => ({
    choices: [{ finish_reason, message: { content } }],
    usage: { prompt_tokens: 4, completion_tokens: 5 },
  });

  it.each<[string, unknown, object]>([
    [
      'text',
      choice('Hello'),
      {
        type: 'done',
        artefacts: [{ type: 'text', text: 'Hello' }],
        usage: { inputTokens: 4, outputTokens: 5 },
      },
    ],
    [
      'parts',
      choice([
        { type: 'text', text: 'Hel' },
        { type: 'text', text: 'lo' },
      ]),
      { type: 'done', artefacts: [{ type: 'text', text: 'Hello' }] },
    ],
    ['a cut text', choice('Hel', 'length'), { type: 'done' }],
    ['filtered text', choice('Hel', 'content_filter'), { type: 'done' }],
    [
      'filtered, nothing left',
      choice('', 'content_filter'),
      { type: 'rejected', moderated: true, code: 'content_filter' },
    ],
    [
      'a refusal',
      { choices: [{ message: { content: null, refusal: 'I cannot' } }] },
      { type: 'rejected', moderated: true, code: 'refused', message: 'I cannot' },
    ],
    ['nothing', choice(''), { type: 'uncertain' }],
    ['no choices', { choices: [] }, { type: 'uncertain' }],
  ])('reads %s', async (_name, json, expected) => {
    expect(await create('chat', { json })).toMatchObject(expected);
  });

  it('stores a long text as a file and repairs what no database can hold', async () => {
    const long = 'é'.repeat(200_000);
    expect(await create('chat', { json: choice(long) })).toMatchObject({
      type: 'done',
      artefacts: [{ type: 'stored', mime: 'text/plain' }],
    });
    expect(Buffer.from(upstream.storage.files.get('incoming/dispatch-1/0') ?? []).toString()).toBe(long);
    upstream.seen.length = 0;
    const outcome = await create('chat', {
      text: '{"choices":[{"message":{"content":"a\\u0000b\\ud800c"}}]}',
    });
    expect(outcome).toMatchObject({ artefacts: [{ type: 'text', text: 'a\ufffdb\ufffdc' }] });
  });

  it('sends images inside the message', async () => {
    await create('chat', { json: choice('x') }, { references: [file('image/png')] });
    expect(JSON.parse(upstream.creates()[0]?.body ?? '').messages[0].content[1].image_url.url).toBe(
      `data:image/png;base64,${PNG.toString('base64')}`,
    );
  });
});

describe('before anything is sent', () => {
  it.each([
    ['speech', 'image/png'],
    ['images', 'application/pdf'],
    ['chat', 'video/mp4'],
    ['videos', 'text/plain'],
  ] as const)('%s refuses a %s', async (endpoint, mime) => {
    const outcome = await upstream.create({ ...REQUESTS[endpoint], references: [file(mime)] });
    expect(outcome).toMatchObject({ type: 'rejected', code: 'unsupported_reference' });
    expect(upstream.seen).toEqual([]);
  });

  it('an unreadable reference is "not sent"', async () => {
    const broken = { ...file('image/png'), read: () => Promise.reject(new Error('disk')) };
    expect(await upstream.create({ ...image, references: [broken] })).toMatchObject({
      type: 'not_sent',
      phase: 'prepare',
    });
    expect(upstream.seen).toEqual([]);
  });
});
