import { describe, expect, it } from 'vitest';
import {
  holdAgainstCreates,
  holdAgainstPolls,
  TRANSIENT_POLLS,
  UNDECIDED_CREATES,
} from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile, ReferenceRole } from '../provider.ts';

const ORIGIN = 'https://dashscope.example';
const upstream = createMockUpstream({ protocol: 'dashscope', baseUrl: `${ORIGIN}/api/v1` });

const VIDEO = '/services/aigc/video-generation/video-synthesis';
const FRAMES = '/services/aigc/image2video/video-synthesis';
const IMAGE = '/services/aigc/text2image/image-synthesis';
const EDIT = '/services/aigc/image2image/image-synthesis';
const TASK = '/tasks/job_1';
const video: Partial<CreateRequest> = { endpoint: 'video', kind: 'video', model: 'wan2.6-t2v' };
const image: Partial<CreateRequest> = { endpoint: 'image', kind: 'image', model: 'wan2.5-t2i-preview' };

const file = (role: ReferenceRole, mime = 'image/png'): ReferenceFile => ({
  id: role,
  role,
  fileName: role,
  mime,
  bytes: 3,
  read: async () => Buffer.from('abc'),
});
const DATA_URI = 'data:image/png;base64,YWJj';
const taken = (id: unknown = '0385dc79-5ff8-4d82-bcb6-1'): Answer => ({
  json: { output: { task_status: 'PENDING', task_id: id }, request_id: '4909100c' },
});
const refused = (status: number, code: string, message = 'why'): Answer => ({
  status,
  json: { code, message, request_id: 'r' },
});

async function create(answer: Answer, more: Partial<CreateRequest> = video, path = VIDEO) {
  upstream.reply('post', path, answer);
  const outcome = await upstream.create(more, { webhookUrl: 'https://own.example/webhooks/c?ref=x' });
  expect(upstream.seen).toHaveLength(1);
  return outcome;
}
const bodySent = () => JSON.parse(upstream.seen[0]?.body ?? '');

describe('requests', () => {
  it('asks for a task, with content and settings apart and sizes written with a star', async () => {
    const params = {
      seconds: '10',
      size: '1280x720',
      seed: '7',
      prompt_extend: true,
      negative_prompt: 'dogs',
    };
    const outcome = await create(taken(), { ...video, params });
    expect(bodySent()).toEqual({
      model: 'wan2.6-t2v',
      input: { prompt: 'a cat', negative_prompt: 'dogs' },
      parameters: { duration: 10, size: '1280*720', seed: 7, prompt_extend: true },
    });
    expect(upstream.seen[0]?.headers.get('x-dashscope-async')).toBe('enable');
    expect(upstream.seen[0]?.headers.get('authorization')).toBe(`Bearer ${upstream.access.apiKey}`);
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: '0385dc79-5ff8-4d82-bcb6-1',
      pollRef: { id: '0385dc79-5ff8-4d82-bcb6-1', endpoint: 'video' },
    });
  });

  it.each<[string, ReferenceFile[], string, object]>([
    ['wan2.6-i2v', [file('reference')], VIDEO, { img_url: DATA_URI }],
    ['wan2.5-i2v-preview', [file('first_frame')], VIDEO, { img_url: DATA_URI }],
    [
      'wan2.2-kf2v-flash',
      [file('first_frame'), file('last_frame')],
      FRAMES,
      { first_frame_url: DATA_URI, last_frame_url: DATA_URI },
    ],
    [
      'wan2.7-i2v',
      [file('first_frame'), file('last_frame'), file('reference', 'audio/mpeg')],
      VIDEO,
      {
        media: [
          { type: 'first_frame', url: DATA_URI },
          { type: 'last_frame', url: DATA_URI },
          { type: 'driving_audio', url: 'data:audio/mpeg;base64,YWJj' },
        ],
      },
    ],
    ['wan2.7-r2v', [file('reference')], VIDEO, { media: [{ type: 'reference_image', url: DATA_URI }] }],
  ])('sends the files of %s in its own fields', async (model, references, path, input) => {
    await create(taken(), { ...video, model, references }, path);
    expect(bodySent()).toEqual({ model, input: { prompt: 'a cat', ...input }, parameters: {} });
  });

  it('sends images as tasks of their own service', async () => {
    await create(taken(), { ...image, params: { n: '4', size: '1024x1024' } }, IMAGE);
    expect(bodySent()).toEqual({
      model: 'wan2.5-t2i-preview',
      input: { prompt: 'a cat' },
      parameters: { n: 4, size: '1024*1024' },
    });
    upstream.reply('post', EDIT, taken());
    await upstream.create({ ...image, model: 'wan2.5-i2i-preview', references: [file('reference')] });
    expect(JSON.parse(upstream.seen[1]?.body ?? '').input).toEqual({ prompt: 'a cat', images: [DATA_URI] });
  });

  it.each<[string, Partial<CreateRequest>]>([
    [
      'a last frame for a model of one frame',
      { ...video, model: 'wan2.6-i2v', references: [file('last_frame')] },
    ],
    [
      'two first frames',
      { ...video, model: 'wan2.6-i2v', references: [file('reference'), file('reference')] },
    ],
    ['a video for an old model', { ...video, references: [file('reference', 'video/mp4')] }],
    ['a text file', { ...video, model: 'wan2.7-r2v', references: [file('reference', 'text/plain')] }],
    ['a frame for an image', { ...image, references: [file('last_frame')] }],
  ])('refuses %s before anything is sent', async (_name, request) => {
    expect(await upstream.create(request)).toMatchObject({ code: 'unsupported_reference' });
    expect(upstream.seen).toEqual([]);
  });

  it.each([ORIGIN, `${ORIGIN}/api/v1`, `${ORIGIN}/api/v1/`])('takes the base URL %s', async (baseUrl) => {
    upstream.reply('get', `${ORIGIN}/api/v1/tasks/:id`, { json: { output: { task_status: 'UNKNOWN' } } });
    expect(await upstream.runtime.check({ ...upstream.access, baseUrl })).toMatchObject({ ok: true });
  });
});

describe('outcomes of a create', () => {
  it.each(UNDECIDED_CREATES)('%s is uncertain', async (_name, answer) => {
    expect((await create(answer)).type).toBe('uncertain');
  });

  it.each<[string, Answer]>([
    ['B10: a request id alone', { json: { request_id: '4909100c-7b5a', output: {} } }],
    ['B10: an id that is none', taken('None')],
    ['a fault of the vendor', refused(500, 'InternalError')],
    ['a fault of the vendor with 200', refused(200, 'InternalError.Algo')],
    ['a time-out with 400', refused(400, 'RequestTimeOut')],
    ['a code outside the table with 200', refused(200, 'SomethingNew')],
    [
      'a task beside an error',
      { json: { code: 'InvalidParameter', message: 'x', output: { task_id: '1' } } },
    ],
  ])('%s is uncertain', async (_name, answer) => {
    expect((await create(answer)).type).toBe('uncertain');
  });

  it.each([
    [401, 'InvalidApiKey', 'account'],
    [400, 'Arrearage', 'account'],
    [403, 'AllocationQuota.FreeTierOnly', 'account'],
    [403, 'AccessDenied.Unpurchased', 'account'],
    [404, 'ModelNotFound', 'account'],
    [400, 'InvalidParameter', 'request'],
    [400, 'InvalidParameter.DataInspection', 'request'],
    [200, 'InvalidParameter', 'request'],
  ])('HTTP %i with %s is an explicit refusal about the %s', async (status, code, scope) => {
    expect(await create(refused(status, code))).toMatchObject({
      type: 'rejected',
      code,
      scope,
      message: 'why',
    });
  });

  it.each(['DataInspectionFailed', 'IPInfringementSuspect'])('%s is a content decision', async (code) => {
    expect(await create(refused(400, code))).toMatchObject({ type: 'rejected', moderated: true });
  });

  it.each(['Throttling', 'Throttling.RateQuota', 'Throttling.AllocationQuota'])(
    'B28: %s limits the rate',
    async (code) => {
      expect((await create(refused(429, code))).type).toBe('rate_limited');
    },
  );

  it('B12: keeps a numeric id digit for digit', async () => {
    const text = '{"output":{"task_id":9007199254740993,"task_status":"PENDING"}}';
    expect(await create({ text, headers: { 'content-type': 'application/json' } })).toMatchObject({
      upstreamId: '9007199254740993',
    });
  });

  it('whatever JSON comes back', async () => {
    await holdAgainstCreates(upstream, {
      path: VIDEO,
      request: video,
      fields: ['output', 'task_id', 'task_status', 'request_id'],
      words: ['PENDING', 'InvalidParameter', 'Arrearage', 'InternalError'],
    });
  });
});

const poll = (answer: Answer, endpoint = 'video') => {
  upstream.reply('get', TASK, answer);
  return upstream.poll(endpoint);
};
const output = (fields: object, more = {}): Answer => ({
  json: { output: fields, request_id: 'r', ...more },
});

describe('outcomes of a poll', () => {
  it.each<[object, number]>([
    [{ video_count: 1, video_duration: 5, video_ratio: '832*480' }, 5],
    [{ duration: 15, input_video_duration: 5, output_video_duration: 10, SR: 720 }, 10],
    [{ duration: 18.13, video_count: 1 }, 18],
  ])('reads the video and the seconds that were delivered from %j', async (usage, units) => {
    const fields = { task_status: 'SUCCEEDED', video_url: 'https://cdn.example/v.mp4?Expires=1' };
    expect(await poll(output(fields, { usage }))).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'url', url: 'https://cdn.example/v.mp4?Expires=1' }],
      usage: { units },
    });
  });

  it('reads a video below results', async () => {
    const results = { video_url: 'https://cdn.example/v.mp4' };
    expect(await poll(output({ task_status: 'SUCCEEDED', results }))).toMatchObject({
      artefacts: [{ url: 'https://cdn.example/v.mp4' }],
    });
  });

  it('B20: delivers the images that were made and leaves out those that failed', async () => {
    const results = [
      { url: 'https://cdn.example/0.png', orig_prompt: 'a cat' },
      { code: 'InternalError.Timeout', message: 'An internal timeout error has occurred.' },
      { url: 'https://cdn.example/2.png' },
    ];
    const fields = { task_status: 'SUCCEEDED', results, task_metrics: { TOTAL: 3, SUCCEEDED: 2, FAILED: 1 } };
    const outcome = await poll(output(fields, { usage: { image_count: 2 } }), 'image');
    expect(outcome).toMatchObject({
      type: 'succeeded',
      artefacts: [{ url: 'https://cdn.example/0.png' }, { url: 'https://cdn.example/2.png' }],
    });
    expect(outcome).not.toHaveProperty('usage.units');
  });

  it.each<[object, object]>([
    [{ task_status: 'PENDING' }, { type: 'pending', known: true }],
    [{ task_status: 'RUNNING' }, { type: 'pending', known: true }],
    [{ task_status: 'PREHEATING' }, { type: 'pending', known: false }],
    [{ task_status: '' }, { type: 'pending', known: false }],
    [{}, { type: 'pending', known: false }],
    [{ task_status: 'SUCCEEDED' }, { type: 'succeeded', artefacts: [] }],
    [
      { task_status: 'SUCCEEDED', results: [{ code: 'x', message: 'y' }] },
      { type: 'succeeded', artefacts: [] },
    ],
    [{ task_status: 'CANCELED' }, { type: 'cancelled' }],
    [{ task_status: 'FAILED' }, { type: 'failed', code: 'upstream_failed' }],
    [
      { task_status: 'FAILED', code: 'InvalidURL', message: 'no file' },
      { type: 'failed', code: 'InvalidURL', reason: 'no file', moderated: false },
    ],
    [
      {
        task_status: 'FAILED',
        code: 'DataInspectionFailed',
        message: 'Input data may contain inappropriate content.',
      },
      { type: 'failed', moderated: true },
    ],
  ])('B22: reads %j with HTTP 200', async (fields, expected) => {
    expect(await poll(output(fields))).toMatchObject(expected);
  });

  it('B30: UNKNOWN means that the task is not known, and so does a 404', async () => {
    expect((await poll(output({ task_id: 'job_1', task_status: 'UNKNOWN' }))).type).toBe('missing');
    upstream.reply('get', TASK, { status: 404, json: {} });
    expect((await upstream.poll('video')).type).toBe('missing');
  });

  it.each(TRANSIENT_POLLS)('%s is transient', async (_name, answer, errorClass) => {
    expect(await poll(answer)).toMatchObject({ type: 'transient', errorClass });
  });

  it.each([
    ['InvalidApiKey', 'unauthorized'],
    ['Throttling', 'rate_limited'],
    ['InternalError', 'bad_body'],
  ])('%s with 200 and no status is transient', async (code, errorClass) => {
    expect(await poll(refused(200, code))).toMatchObject({ type: 'transient', errorClass });
  });

  it('whatever JSON comes back', async () => {
    await holdAgainstPolls(upstream, {
      paths: [TASK],
      endpoint: 'video',
      fields: ['output', 'task_status', 'results', 'video_url', 'usage', 'video_duration'],
      words: ['SUCCEEDED', 'FAILED', 'UNKNOWN', 'PENDING'],
    });
  });
});

describe('cancel', () => {
  it.each<[string, Answer, string, number]>([
    ['a queued job', output({ task_status: 'PENDING' }), 'requested', 1],
    ['a running job', output({ task_status: 'RUNNING' }), 'unsupported', 0],
    ['a finished job', output({ task_status: 'SUCCEEDED' }), 'already_terminal', 0],
    ['a job that is not known', output({ task_status: 'UNKNOWN' }), 'unknown', 0],
  ])('of %s', async (_name, answer, expected, cancels) => {
    upstream.reply('get', TASK, answer);
    upstream.reply('post', `${TASK}/cancel`, { json: { request_id: 'r' } });
    expect(await upstream.cancel('image')).toBe(expected);
    expect(upstream.creates()).toHaveLength(cancels);
  });

  it('of a job that began in between', async () => {
    upstream.reply('get', TASK, output({ task_status: 'PENDING' }));
    upstream.reply(
      'post',
      `${TASK}/cancel`,
      refused(400, 'UnsupportedOperation', 'Failed to cancel the task.'),
    );
    expect(await upstream.cancel('video')).toBe('unknown');
  });
});

describe('check', () => {
  it.each<[string, Answer, boolean, RegExp]>([
    ['a task that nobody has', output({ task_status: 'UNKNOWN' }), true, /key is accepted/],
    ['a refused key', refused(401, 'InvalidApiKey'), false, /refuses this key/],
    ['a page', { text: '<html></html>' }, false, /Check the base URL/],
  ])('says what %s means', async (_name, answer, ok, message) => {
    upstream.reply('get', '/tasks/:id', answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok,
      message: expect.stringMatching(message),
    });
  });
});
