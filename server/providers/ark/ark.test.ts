import { describe, expect, it } from 'vitest';
import {
  holdAgainstCreates,
  holdAgainstPolls,
  TRANSIENT_POLLS,
  UNDECIDED_CREATES,
} from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile, ReferenceRole } from '../provider.ts';

const ORIGIN = 'https://ark.example';
const upstream = createMockUpstream({ protocol: 'ark', baseUrl: `${ORIGIN}/api/v3` });

const TASKS = '/contents/generations/tasks';
const TASK = `${TASKS}/job_1`;
const IMAGES = '/images/generations';
const WEBHOOK = 'https://own.example/webhooks/c?ref=dispatch-1&sig=abc';
const video: Partial<CreateRequest> = { endpoint: 'video', kind: 'video', model: 'seedance-1-0-pro-250528' };
const image: Partial<CreateRequest> = { endpoint: 'images', kind: 'image', model: 'seedream-4-0-250828' };

const file = (role: ReferenceRole, mime = 'image/png'): ReferenceFile => ({
  id: role,
  role,
  fileName: role,
  mime,
  bytes: 3,
  read: async () => Buffer.from('abc'),
});
const DATA_URI = 'data:image/png;base64,YWJj';
const refused = (status: number, code: string, message = 'why'): Answer => ({
  status,
  json: { error: { code, message, param: '', type: 'BadRequest' } },
});

async function create(answer: Answer, more: Partial<CreateRequest> = video, webhookUrl?: string) {
  upstream.reply('post', more.endpoint === 'images' ? IMAGES : TASKS, answer);
  const outcome = await upstream.create(more, { webhookUrl });
  expect(upstream.seen).toHaveLength(1);
  return outcome;
}
const bodySent = () => JSON.parse(upstream.seen[0]?.body ?? '');

describe('requests', () => {
  it('sends prompt and frames as a list of content, settings beside it', async () => {
    const references = [file('first_frame'), file('last_frame')];
    const params = { seconds: '5', aspect_ratio: '16:9', resolution: '720p', seed: '7', camera_fixed: false };
    const outcome = await create({ json: { id: 'cgt-2025-abc' } }, { ...video, references, params }, WEBHOOK);
    expect(bodySent()).toEqual({
      model: 'seedance-1-0-pro-250528',
      content: [
        { type: 'text', text: 'a cat' },
        { type: 'image_url', image_url: { url: DATA_URI }, role: 'first_frame' },
        { type: 'image_url', image_url: { url: DATA_URI }, role: 'last_frame' },
      ],
      duration: 5,
      ratio: '16:9',
      resolution: '720p',
      seed: 7,
      camera_fixed: false,
      callback_url: WEBHOOK,
    });
    expect(upstream.seen[0]?.headers.get('authorization')).toBe(`Bearer ${upstream.access.apiKey}`);
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: 'cgt-2025-abc',
      pollRef: { id: 'cgt-2025-abc', endpoint: 'video' },
    });
  });

  it('sends references under their kind of medium', async () => {
    const references = [file('reference'), file('reference', 'audio/mpeg')];
    await create({ json: { id: '1' } }, { ...video, references });
    expect(bodySent().content.slice(1)).toEqual([
      { type: 'image_url', image_url: { url: DATA_URI }, role: 'reference_image' },
      { type: 'audio_url', audio_url: { url: 'data:audio/mpeg;base64,YWJj' }, role: 'reference_audio' },
    ]);
  });

  it('sends an image order, a number of images as the limit of a series', async () => {
    const params = { n: '3', size: '2K', watermark: false, guidance_scale: '2.5' };
    await create({ json: {} }, { ...image, params, references: [file('reference')] });
    expect(bodySent()).toEqual({
      model: 'seedream-4-0-250828',
      prompt: 'a cat',
      image: DATA_URI,
      sequential_image_generation: 'auto',
      sequential_image_generation_options: { max_images: 3 },
      response_format: 'url',
      size: '2K',
      watermark: false,
      guidance_scale: 2.5,
      stream: false,
    });
  });

  it('sends several pictures as a list, and no series for one image', async () => {
    await create(
      { json: {} },
      { ...image, params: { n: 1 }, references: [file('reference'), file('reference')] },
    );
    expect(bodySent()).toEqual({
      model: 'seedream-4-0-250828',
      prompt: 'a cat',
      image: [DATA_URI, DATA_URI],
      response_format: 'url',
      stream: false,
    });
  });

  it.each<[string, Partial<CreateRequest>]>([
    ['a video as first frame', { ...video, references: [file('first_frame', 'video/mp4')] }],
    ['a text file', { ...video, references: [file('reference', 'text/plain')] }],
    ['a video for an image', { ...image, references: [file('reference', 'video/mp4')] }],
  ])('refuses %s before anything is sent', async (_name, request) => {
    expect(await upstream.create(request)).toMatchObject({ code: 'unsupported_reference' });
    expect(upstream.seen).toEqual([]);
  });

  it.each([ORIGIN, `${ORIGIN}/api/v3`, `${ORIGIN}/api/v3/`])('takes the base URL %s', async (baseUrl) => {
    upstream.reply('get', `${ORIGIN}/api/v3${TASKS}`, { json: { items: [], total: 0 } });
    expect(await upstream.runtime.check({ ...upstream.access, baseUrl })).toMatchObject({ ok: true });
  });
});

describe.each([
  ['video', video, TASKS],
  ['images', image, IMAGES],
] as const)('outcomes of a create: %s', (_endpoint, request, path) => {
  it.each(UNDECIDED_CREATES)('%s is uncertain', async (_name, answer) => {
    expect((await create(answer, request)).type).toBe('uncertain');
  });

  it.each<[string, Answer]>([
    ['a fault of the vendor', refused(500, 'InternalServiceError')],
    ['a fault of the vendor with 200', refused(200, 'InternalServiceError')],
    ['B10: an id that is none', { json: { id: 'undefined' } }],
  ])('%s is uncertain', async (_name, answer) => {
    expect((await create(answer, request)).type).toBe('uncertain');
  });

  it.each([
    [401, 'AuthenticationError', 'account'],
    [403, 'AccountOverdueError', 'account'],
    [403, 'AccessDenied', 'account'],
    [404, 'ModelNotOpen', 'account'],
    [404, 'InvalidEndpointOrModel.NotFound', 'account'],
    [400, 'InvalidEndpoint.ClosedEndpoint', 'account'],
    [429, 'QuotaExceeded', 'account'],
    [429, 'SetLimitExceeded', 'account'],
    [400, 'InvalidParameter', 'request'],
    [400, 'MissingParameter', 'request'],
    [200, 'InvalidParameter', 'request'],
  ])('HTTP %i with %s is an explicit refusal about the %s', async (status, code, scope) => {
    expect(await create(refused(status, code), request)).toMatchObject({
      type: 'rejected',
      code,
      scope,
      message: 'why',
    });
  });

  it.each([
    'InputTextSensitiveContentDetected',
    'InputImageRiskDetection',
    'SensitiveContentDetected.Violence',
  ])('%s is a content decision', async (code) => {
    expect(await create(refused(400, code), request)).toMatchObject({ type: 'rejected', moderated: true });
  });

  it.each(['ModelAccountRpmRateLimitExceeded', 'RateLimitExceeded.EndpointRPMExceeded', 'ServerOverloaded'])(
    'B28: %s limits the rate',
    async (code) => {
      const answer = { ...refused(429, code), headers: { 'retry-after': '2' } };
      expect(await create(answer, request)).toMatchObject({ type: 'rate_limited', retryAfterMs: 2_000 });
    },
  );

  it('whatever JSON comes back', async () => {
    await holdAgainstCreates(upstream, {
      path,
      request,
      fields: ['id', 'b64_json', 'usage', 'items'],
      words: ['QuotaExceeded', 'InternalServiceError', 'cgt-1', 'AAAA'],
      runs: 100,
    });
  });
});

describe('images', () => {
  it('passes addresses on, keeps base64, and leaves out what failed', async () => {
    const b64 = Buffer.from('png bytes').toString('base64');
    const outcome = await create(
      {
        json: {
          data: [
            { url: 'https://cdn.example/0.png', size: '2048x2048' },
            { error: { code: 'OutputImageSensitiveContentDetected', message: 'no' } },
            { b64_json: b64 },
          ],
          usage: { generated_images: 2, output_tokens: 6_240, total_tokens: 6_240 },
        },
      },
      image,
    );
    expect(outcome).toMatchObject({
      type: 'done',
      artefacts: [{ type: 'url', url: 'https://cdn.example/0.png' }, { type: 'stored' }],
      usage: { outputTokens: 6_240 },
    });
    expect(JSON.stringify(outcome)).not.toContain(b64);
  });

  it.each<[string, object]>([
    ['OutputImageSensitiveContentDetected', { moderated: true }],
    ['InternalServiceError', { code: 'InternalServiceError' }],
  ])('is refused when every image failed by %s', async (code, expected) => {
    const data = [{ error: { code, message: 'no' } }, { error: { code, message: 'no' } }];
    expect(await create({ json: { data } }, image)).toMatchObject({ type: 'rejected', ...expected });
  });

  it('is uncertain when some images failed and the others are not there', async () => {
    const data = [{ error: { code: 'InternalServiceError', message: 'no' } }, {}];
    expect((await create({ json: { data } }, image)).type).toBe('uncertain');
  });
});

const poll = (answer: Answer) => {
  upstream.reply('get', TASK, answer);
  return upstream.poll('video');
};

describe('outcomes of a poll', () => {
  it('reads the video, its length and the tokens that are billed', async () => {
    const json = {
      id: 'job_1',
      status: 'succeeded',
      error: null,
      content: { video_url: 'https://cdn.example/v.mp4?sig=1', last_frame_url: 'https://cdn.example/l.png' },
      usage: { completion_tokens: 108_900, total_tokens: 108_900 },
      duration: 5,
    };
    expect(await poll({ json })).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'url', url: 'https://cdn.example/v.mp4?sig=1' }],
      usage: { units: 5, outputTokens: 108_900 },
    });
  });

  it.each<[object, object]>([
    [{ status: 'queued' }, { type: 'pending', known: true }],
    [{ status: 'running' }, { type: 'pending', known: true }],
    [{ status: 'warming' }, { type: 'pending', known: false }],
    [{ status: null }, { type: 'pending', known: false }],
    [
      { status: 'succeeded', content: {} },
      { type: 'succeeded', artefacts: [] },
    ],
    [
      { status: 'succeeded', content: { video_url: '//x' } },
      { type: 'succeeded', artefacts: [] },
    ],
    [{ status: 'cancelled' }, { type: 'cancelled' }],
    [{ status: 'expired' }, { type: 'failed', moderated: false }],
    [
      { status: 'failed', error: null },
      { type: 'failed', code: 'upstream_failed' },
    ],
    [
      { error: { code: 'RateLimitExceeded', message: 'x' } },
      { type: 'transient', errorClass: 'rate_limited' },
    ],
  ])('reads %j', async (json, expected) => {
    expect(await poll({ json })).toMatchObject(expected);
  });

  it('B23: a late content verdict is a failure and is called one', async () => {
    const error = {
      code: 'OutputVideoSensitiveContentDetected',
      message: 'The output may contain sensitive information.',
    };
    expect(await poll({ json: { status: 'failed', error } })).toMatchObject({
      type: 'failed',
      code: error.code,
      moderated: true,
    });
  });

  it('B30: a 404 is missing', async () => {
    expect((await poll(refused(404, 'ResourceNotFound'))).type).toBe('missing');
  });

  it.each(TRANSIENT_POLLS)('%s is transient', async (_name, answer, errorClass) => {
    expect(await poll(answer)).toMatchObject({ type: 'transient', errorClass });
  });

  it('whatever JSON comes back', async () => {
    await holdAgainstPolls(upstream, {
      paths: [TASK],
      endpoint: 'video',
      fields: ['content', 'video_url', 'usage', 'total_tokens', 'duration'],
      words: ['succeeded', 'failed', 'queued', 'expired'],
    });
  });
});

describe('cancel', () => {
  it.each<[string, Answer, string, number]>([
    ['a queued job', { json: { status: 'queued' } }, 'requested', 1],
    ['a running job', { json: { status: 'running' } }, 'unsupported', 0],
    [
      'a finished job, whose record the call would delete',
      { json: { status: 'succeeded' } },
      'already_terminal',
      0,
    ],
    ['a failed job', { json: { status: 'failed' } }, 'already_terminal', 0],
    ['a missing job', { status: 404, json: {} }, 'unknown', 0],
    ['a job whose state cannot be read', { broken: true }, 'unknown', 0],
  ])('of %s', async (_name, answer, expected, deletes) => {
    upstream.reply('get', TASK, answer);
    upstream.reply('delete', TASK, { json: {} });
    expect(await upstream.cancel('video')).toBe(expected);
    expect(upstream.seen.filter((request) => request.method === 'DELETE')).toHaveLength(deletes);
  });

  it('of a job that began in between', async () => {
    upstream.reply('get', TASK, { json: { status: 'queued' } });
    upstream.reply('delete', TASK, refused(409, 'InvalidAction.RunningTaskDeletion'));
    expect(await upstream.cancel('video')).toBe('unknown');
  });
});

describe('webhooks', () => {
  const read = (text: string) =>
    upstream.readWebhook({ rawBody: Buffer.from(text), query: { ref: 'dispatch-1' } });

  it('reads the task as a hint', async () => {
    expect(
      await read('{"id":"cgt-1","status":"succeeded","content":{"video_url":"https://x.example"}}'),
    ).toEqual({
      type: 'hint',
      verified: false,
      upstreamId: 'cgt-1',
      clientRef: 'dispatch-1',
      status: 'succeeded',
    });
  });

  it.each(['', 'x', '[]', 'null'])('refuses %j', async (text) => {
    expect((await read(text)).type).toBe('refused');
  });
});

describe('check', () => {
  it.each<[string, Answer, boolean, RegExp]>([
    ['a list', { json: { items: [], total: 0 } }, true, /key is accepted/],
    ['a refused key', refused(401, 'AuthenticationError'), false, /refuses this key/],
    ['a page', { text: '<html></html>' }, false, /Check the base URL/],
  ])('says what %s means', async (_name, answer, ok, message) => {
    upstream.reply('get', TASKS, answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok,
      message: expect.stringMatching(message),
    });
  });
});
