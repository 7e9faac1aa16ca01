import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  holdAgainstCreates,
  holdAgainstPolls,
  TRANSIENT_POLLS,
  UNDECIDED_CREATES,
} from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile, ReferenceRole } from '../provider.ts';

const ORIGIN = 'https://kling.example';
const SECRET = 'secret-half-of-the-key';
const clock = { now: new Date('2026-11-29T12:00:00.700Z') };
const upstream = createMockUpstream({
  protocol: 'kling',
  baseUrl: ORIGIN,
  apiKey: `access-half:${SECRET}`,
  now: () => clock.now,
});
const SECONDS = Math.floor(clock.now.getTime() / 1000);

const T2V = '/v1/videos/text2video';
const I2V = '/v1/videos/image2video';
const MULTI = '/v1/videos/multi-image2video';
const IMAGES = '/v1/images/generations';
const video: Partial<CreateRequest> = { endpoint: 'video', kind: 'video', model: 'kling-v2-6' };

const file = (role: ReferenceRole, mime = 'image/png', text: string = role): ReferenceFile => ({
  id: role,
  role,
  fileName: `${role}.png`,
  mime,
  bytes: text.length,
  read: async () => Buffer.from(text),
});
const base64 = (text: string) => Buffer.from(text).toString('base64');
const taken = (id: unknown = '831592345') => ({
  json: { code: 0, message: 'SUCCEED', request_id: 'r', data: { task_id: id, task_status: 'submitted' } },
});
const job = (data: object) => ({ json: { code: 0, message: 'SUCCEED', request_id: 'r', data } });
const coded = (status: number, code: number, message = 'x'): Answer => ({
  status,
  json: { code, message, request_id: 'r' },
});

async function create(answer: Answer, more: Partial<CreateRequest> = {}, path = T2V, webhookUrl?: string) {
  upstream.reply('post', path, answer);
  const outcome = await upstream.create({ ...video, ...more }, { webhookUrl });
  expect(upstream.seen).toHaveLength(1);
  return outcome;
}

const bodySent = () => JSON.parse(upstream.seen[0]?.body ?? '');

function tokenSent(index = 0): { claims: Record<string, unknown>; isSigned: boolean; header: unknown } {
  const token = upstream.seen[index]?.headers.get('authorization')?.replace('Bearer ', '') ?? '';
  const [header = '', claims = '', signature] = token.split('.');
  const expected = createHmac('sha256', SECRET).update(`${header}.${claims}`).digest('base64url');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { header: decode(header), claims: decode(claims), isSigned: signature === expected };
}

describe('credentials', () => {
  it('mints a token for every call, valid from five seconds before to thirty minutes after', async () => {
    upstream.reply('get', `${T2V}/job_1`, job({ task_status: 'processing' }));
    await upstream.poll('video', 'job_1', { pollUrl: `${ORIGIN}${T2V}/job_1` });
    expect(tokenSent()).toEqual({
      header: { alg: 'HS256', typ: 'JWT' },
      claims: { iss: 'access-half', exp: SECONDS + 1_800, nbf: SECONDS - 5 },
      isSigned: true,
    });
    const before = clock.now;
    clock.now = new Date(before.getTime() + 3_600_000);
    await upstream.poll('video', 'job_1', { pollUrl: `${ORIGIN}${T2V}/job_1` });
    clock.now = before;
    expect(tokenSent(1).claims.exp).toBe(SECONDS + 5_400);
  });

  it('sends a key without a colon as it is', async () => {
    const { klingAdapter } = await import('./adapter.ts');
    const context = { now: clock.now, settings: undefined };
    expect(klingAdapter.credentials('sk-gateway', context)).toEqual({ authorization: 'Bearer sk-gateway' });
    expect(klingAdapter.credentials('', context)).toEqual({});
  });

  it('B73: leaves neither half of the key in an outcome', async () => {
    const outcome = await create({ status: 401, json: { code: 1002, message: `bad ${SECRET} access-half` } });
    expect(outcome).toMatchObject({ type: 'rejected', scope: 'account', code: '1002' });
    expect(JSON.stringify(outcome)).not.toContain(SECRET);
    expect(JSON.stringify(outcome)).not.toContain('access-half');
  });
});

describe('requests', () => {
  it('sends a text with our reference and the webhook address', async () => {
    const params = {
      seconds: '10',
      aspect_ratio: '9:16',
      mode: 'pro',
      sound: true,
      cfg_scale: '0.5',
      extra: 'x',
    };
    const webhookUrl = 'https://own.example/webhooks/c?ref=dispatch-1&sig=abc';
    const outcome = await create(taken(), { params }, T2V, webhookUrl);
    expect(bodySent()).toEqual({
      model_name: 'kling-v2-6',
      prompt: 'a cat',
      duration: '10',
      aspect_ratio: '9:16',
      mode: 'pro',
      sound: 'on',
      cfg_scale: 0.5,
      extra: 'x',
      external_task_id: 'dispatch-1',
      callback_url: webhookUrl,
    });
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: '831592345',
      pollRef: { id: '831592345', endpoint: 'video', pollUrl: `${ORIGIN}${T2V}/831592345` },
    });
  });

  it('sends the length of a third-generation model as a number', async () => {
    await create(taken(), { model: 'kling-v3', params: { seconds: '12' } });
    expect(bodySent()).toMatchObject({ duration: 12 });
  });

  it('sends frames as bare base64, without a shape', async () => {
    const references = [file('first_frame'), file('last_frame')];
    const outcome = await create(taken(), { references, params: { ratio: '1:1', seconds: 5 } }, I2V);
    expect(bodySent()).toEqual({
      model_name: 'kling-v2-6',
      prompt: 'a cat',
      duration: '5',
      image: base64('first_frame'),
      image_tail: base64('last_frame'),
      external_task_id: 'dispatch-1',
    });
    expect(outcome).toMatchObject({ pollRef: { pollUrl: `${ORIGIN}${I2V}/831592345` } });
  });

  it('sends several references as a list', async () => {
    const references = [file('reference', 'image/png', 'a'), file('reference', 'image/png', 'b')];
    await create(taken(), { references, params: { ratio: '1:1' } }, MULTI);
    expect(bodySent()).toMatchObject({
      image_list: [{ image: base64('a') }, { image: base64('b') }],
      aspect_ratio: '1:1',
    });
  });

  it('sends an image order', async () => {
    const more = {
      endpoint: 'image',
      kind: 'image',
      params: { n: '3', ratio: '1:1', resolution: '2k' },
    } as const;
    const outcome = await create(taken(), { ...more, references: [file('reference')] }, IMAGES);
    expect(bodySent()).toEqual({
      model_name: 'kling-v2-6',
      prompt: 'a cat',
      n: 3,
      aspect_ratio: '1:1',
      resolution: '2k',
      image: base64('reference'),
      external_task_id: 'dispatch-1',
    });
    expect(outcome).toMatchObject({
      pollRef: { endpoint: 'image', pollUrl: `${ORIGIN}${IMAGES}/831592345` },
    });
  });

  it.each<[string, Partial<CreateRequest>]>([
    ['a video file', { references: [file('reference', 'video/mp4')] }],
    ['a last frame alone', { references: [file('last_frame')] }],
    ['two first frames', { references: [file('first_frame'), file('first_frame')] }],
    ['two pictures for an image', { endpoint: 'image', references: [file('reference'), file('reference')] }],
  ])('refuses %s before anything is sent', async (_name, more) => {
    expect(await upstream.create({ ...video, ...more })).toMatchObject({
      type: 'rejected',
      code: 'unsupported_reference',
    });
    expect(upstream.seen).toEqual([]);
  });

  it.each([`${ORIGIN}`, `${ORIGIN}/v1`, `${ORIGIN}/v1/`])('takes the base URL %s', async (baseUrl) => {
    upstream.reply('get', `${ORIGIN}${T2V}`, { json: { code: 0, data: [] } });
    expect(await upstream.runtime.check({ ...upstream.access, baseUrl })).toMatchObject({ ok: true });
  });
});

describe('outcomes of a create', () => {
  it.each(UNDECIDED_CREATES)('%s is uncertain', async (_name, answer) => {
    expect((await create(answer)).type).toBe('uncertain');
  });

  it.each<[string, Answer]>([
    ['B10: code 0 without a task', { json: { code: 0, message: 'SUCCEED', data: null } }],
    ['a refusal with a status that decides nothing', coded(409, 1_200)],
    ['a refusal with the status of a fault', coded(503, 1_201)],
    ['a fault of the vendor', coded(200, 5_000)],
    ['a time-out of the vendor', coded(504, 5_002)],
    ['a code outside the table', coded(200, 9_999)],
    ['a task beside an error', { json: { code: 1_200, message: 'x', data: { task_id: '1' } } }],
    ['B10: an id that is none', taken('null')],
    ['a request id only', { json: { code: 0, request_id: 'r' } }],
  ])('%s is uncertain', async (_name, answer) => {
    expect((await create(answer)).type).toBe('uncertain');
  });

  it.each([
    [401, 1_000, 'account'],
    [401, 1_004, 'account'],
    [429, 1_100, 'account'],
    [429, 1_101, 'account'],
    [429, 1_102, 'account'],
    [200, 1_102, 'account'],
    [403, 1_103, 'account'],
    [404, 1_203, 'account'],
    [429, 1_304, 'account'],
    [400, 1_200, 'request'],
    [200, 1_201, 'request'],
  ])('HTTP %i with code %i is an explicit refusal about the %s', async (status, code, scope) => {
    expect(await create(coded(status, code, 'why'))).toMatchObject({
      type: 'rejected',
      code: String(code),
      scope,
      message: 'why',
    });
  });

  it.each([1_300, 1_301])('code %i is a content decision', async (code) => {
    expect(await create(coded(400, code))).toMatchObject({ type: 'rejected', moderated: true });
  });

  it.each([1_302, 1_303])('B28: code %i limits the rate', async (code) => {
    const answer = { ...coded(429, code), headers: { 'retry-after': '3' } };
    expect(await create(answer)).toMatchObject({ type: 'rate_limited', retryAfterMs: 3_000 });
  });

  it('B12: keeps a numeric id digit for digit', async () => {
    const text =
      '{"code":0,"message":"SUCCEED","data":{"task_id":9007199254740993,"task_status":"submitted"}}';
    expect(await create({ text, headers: { 'content-type': 'application/json' } })).toMatchObject({
      upstreamId: '9007199254740993',
      pollRef: { pollUrl: `${ORIGIN}${T2V}/9007199254740993` },
    });
  });

  it('whatever JSON comes back', async () => {
    await holdAgainstCreates(upstream, {
      path: T2V,
      request: video,
      fields: ['task_id', 'task_status', 'task_info', 'request_id'],
      words: ['submitted', 0, 1_200, 1_303, 5_000],
    });
  });
});

const poll = (answer: Answer, path = T2V, endpoint = 'video') => {
  upstream.reply('get', `${path}/job_1`, answer);
  return upstream.poll(endpoint, 'job_1', { pollUrl: `${ORIGIN}${path}/job_1` });
};

describe('outcomes of a poll', () => {
  it('reads videos and the seconds that were delivered', async () => {
    const videos = [
      {
        id: '1',
        url: 'https://cdn.example/1.mp4',
        watermark_url: 'https://cdn.example/w.mp4',
        duration: '5.041',
      },
    ];
    expect(
      await poll(job({ task_id: 'job_1', task_status: 'succeed', task_result: { videos } })),
    ).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'url', url: 'https://cdn.example/1.mp4' }],
      usage: { units: 5 },
    });
  });

  it('reads images in order, and only those that exist', async () => {
    const images = [
      { index: 0, url: 'https://cdn.example/0.png' },
      { index: 1, url: '' },
      { index: 2, url: 'https://cdn.example/2.png' },
    ];
    const outcome = await poll(job({ task_status: 'succeed', task_result: { images } }), IMAGES, 'image');
    expect(outcome).toMatchObject({
      type: 'succeeded',
      artefacts: [{ url: 'https://cdn.example/0.png' }, { url: 'https://cdn.example/2.png' }],
    });
  });

  it('B20: success without a result has no artefacts', async () => {
    expect(await poll(job({ task_status: 'succeed' }))).toMatchObject({ type: 'succeeded', artefacts: [] });
  });

  it.each(['submitted', 'processing'])('%s is pending', async (task_status) => {
    expect(await poll(job({ task_status }))).toMatchObject({ type: 'pending', known: true });
  });

  it.each(['post_processing', '', null, 7])(
    'B15: status %j is pending and not known',
    async (task_status) => {
      expect(await poll(job({ task_status }))).toMatchObject({ type: 'pending', known: false });
    },
  );

  it('a failure tells its own reason, not that of the envelope', async () => {
    const failed = { task_status: 'failed', task_status_msg: 'Failure to pass the risk control system' };
    expect(await poll(job(failed))).toMatchObject({
      type: 'failed',
      reason: failed.task_status_msg,
      moderated: true,
    });
    upstream.reply('get', `${T2V}/job_1`, job({ task_status: 'failed', task_status_msg: '' }));
    expect(await upstream.poll('video', 'job_1', { pollUrl: `${ORIGIN}${T2V}/job_1` })).toMatchObject({
      type: 'failed',
      reason: 'The upstream reported a failure without a reason.',
      moderated: false,
    });
  });

  it.each<[string, Answer]>([
    ['404 and 1203', coded(404, 1_203)],
    ['200 and 1203', coded(200, 1_203)],
    ['a bare 404', { status: 404, text: '' }],
  ])('B30: %s is missing', async (_name, answer) => {
    expect((await poll(answer)).type).toBe('missing');
  });

  it.each(TRANSIENT_POLLS)('%s is transient', async (_name, answer, errorClass) => {
    expect(await poll(answer)).toMatchObject({ type: 'transient', errorClass });
  });

  it.each([
    [1_004, 'unauthorized'],
    [1_303, 'rate_limited'],
    [5_000, 'bad_body'],
    [1_301, 'bad_body'],
  ])('200 with code %i and no status is transient', async (code, errorClass) => {
    expect(await poll(coded(200, code))).toMatchObject({ type: 'transient', errorClass });
  });

  it('tries every path for a reference without one', async () => {
    upstream.reply('get', `${T2V}/job_1`, coded(404, 1_203));
    upstream.reply('get', `${I2V}/job_1`, job({ task_status: 'processing' }));
    expect(await upstream.poll('video')).toMatchObject({ type: 'pending' });
    expect(upstream.seen.map((request) => request.path)).toEqual([`${T2V}/job_1`, `${I2V}/job_1`]);
  });

  it('whatever JSON comes back', async () => {
    await holdAgainstPolls(upstream, {
      paths: [`${T2V}/job_1`],
      endpoint: 'video',
      ref: { pollUrl: `${ORIGIN}${T2V}/job_1` },
      fields: ['task_status', 'task_status_msg', 'task_result', 'videos', 'images', 'duration'],
      words: ['succeed', 'failed', 'processing', 0, 1_203, 1_301],
    });
  });
});

describe('look-up by our reference', () => {
  const found = { task_id: 't9', task_status: 'processing', task_info: { external_task_id: 'dispatch-1' } };
  const denied = coded(404, 1_203, 'resource not found');

  function answers(...byPath: Answer[]) {
    for (const [index, path] of [T2V, I2V, MULTI].entries())
      upstream.reply('get', `${path}/dispatch-1`, byPath[Math.min(index, byPath.length - 1)] ?? denied);
  }

  it('B02: finds the job on whichever path made it', async () => {
    answers(denied, job(found));
    expect(await upstream.lookup()).toEqual({
      type: 'found',
      upstreamId: 't9',
      pollRef: { id: 't9', endpoint: 'video', pollUrl: `${ORIGIN}${I2V}/t9` },
    });
  });

  it('is certain of absence only when every path says so in the vendor’s own words', async () => {
    answers(denied);
    expect(await upstream.lookup()).toEqual({ type: 'absent' });
    expect(upstream.seen).toHaveLength(3);
  });

  it.each<[string, Answer[]]>([
    ['a gateway that does not know the question', [{ status: 404, json: { message: 'not found' } }]],
    ['a refused key', [coded(401, 1_004)]],
    ['a fault on one path', [denied, { status: 500, json: { code: 1_203 } }, denied]],
    ['a broken connection', [denied, { broken: true }, denied]],
    ['another job', [job({ ...found, task_info: { external_task_id: 'other' } }), denied]],
    ['an echo without a state', [job({ task_id: 'dispatch-1' }), denied]],
    ['HTML', [{ text: '<html></html>' }]],
  ])('cannot tell from %s', async (_name, byPath) => {
    answers(...byPath);
    expect(await upstream.lookup()).toEqual({ type: 'cannot_tell' });
  });

  it('asks the image path for an image', async () => {
    upstream.reply('get', `${IMAGES}/dispatch-1`, denied);
    expect(await upstream.lookup({ endpoint: 'image' })).toEqual({ type: 'absent' });
    expect(await upstream.lookup({ endpoint: 'other' })).toEqual({ type: 'cannot_tell' });
  });
});

describe('webhooks', () => {
  const read = (text: string, query = {}) => upstream.readWebhook({ rawBody: Buffer.from(text), query });
  const data =
    '{"task_id":9007199254740993,"task_status":"succeed","task_info":{"external_task_id":"dispatch-1"}}';

  it.each([data, `{"code":0,"message":"SUCCEED","data":${data}}`])('reads %s as a hint', async (text) => {
    expect(await read(text)).toEqual({
      type: 'hint',
      verified: false,
      upstreamId: '9007199254740993',
      clientRef: 'dispatch-1',
      status: 'succeed',
    });
  });

  it('falls back to the reference in the address', async () => {
    expect(await read('{"data":{}}', { ref: 'd7' })).toMatchObject({ type: 'hint', clientRef: 'd7' });
  });

  it.each(['', 'x', '[]', '{}', '{"data":null}'])('refuses %j', async (text) => {
    expect((await read(text)).type).toBe('refused');
  });
});

describe('check', () => {
  it.each<[string, Answer, boolean, RegExp]>([
    ['a list', { json: { code: 0, data: [] } }, true, /It works/],
    ['a refused key', coded(401, 1_002), false, /refuses this key/],
    ['a refused key with 200', coded(200, 1_002), false, /refuses this key/],
    ['a page', { text: '<html></html>' }, false, /Check the base URL/],
  ])('says what %s means', async (_name, answer, ok, message) => {
    upstream.reply('get', T2V, answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok,
      message: expect.stringMatching(message),
    });
  });
});
