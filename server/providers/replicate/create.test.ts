import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileJson, hostileStatuses } from '#server/testing/hostile-json.ts';
import { type Answer, createMockUpstream, UPSTREAM_KEY } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile } from '../provider.ts';

const settings = {
  inputs: { 'acme/talker': { prompt: 'script', references: 'faces', seconds: 'length', secondsAs: 'text' } },
};
const upstream = createMockUpstream({ protocol: 'replicate', settings });

const MODEL = 'black-forest-labs/flux-schnell';
const PATH = `/models/${MODEL}/predictions`;
const VERSION = '5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa';
const ID = 'gm3qorzdhgbfurvjtvhg6dckhu';
const request: Partial<CreateRequest> = { endpoint: 'image', model: MODEL };
const WEBHOOK = 'https://us.example/webhooks/c1?ref=dispatch-1&sig=abc';

const prediction = (more: object = {}) => ({
  id: ID,
  model: MODEL,
  version: 'hidden',
  input: { prompt: 'a cat' },
  logs: '',
  output: null,
  data_removed: false,
  error: null,
  status: 'starting',
  created_at: '2026-11-29T12:00:00.000Z',
  urls: {
    get: `https://upstream.example/v1/predictions/${ID}`,
    cancel: `https://upstream.example/v1/predictions/${ID}/cancel`,
  },
  ...more,
});

async function create(answer: Answer, more: Partial<CreateRequest> = {}, webhookUrl?: string) {
  upstream.reply('post', PATH, answer);
  return upstream.create({ ...request, ...more }, { webhookUrl });
}

const sent = () => {
  const [only, ...others] = upstream.creates();
  expect(others).toEqual([]);
  return { path: only?.path, headers: only?.headers, json: JSON.parse(only?.body ?? '') as unknown };
};

const file = (role: ReferenceFile['role'], fileName = 'cat.png'): ReferenceFile => ({
  id: fileName,
  role,
  fileName,
  mime: 'image/png',
  bytes: 3,
  read: async () => Buffer.from('cat'),
});
const DATA_URI = 'data:image/png;base64,Y2F0';

describe('the request', () => {
  it('of a model goes to the model, with our webhook and without Prefer', async () => {
    await create({ status: 201, json: prediction() }, { params: { n: 2, ratio: '16:9', seed: 7 } }, WEBHOOK);
    const { path, headers, json } = sent();
    expect(path).toBe(`/v1${PATH}`);
    expect(json).toEqual({
      input: { prompt: 'a cat', num_outputs: 2, aspect_ratio: '16:9', seed: 7 },
      webhook: WEBHOOK,
      webhook_events_filter: ['completed'],
    });
    expect(headers?.get('authorization')).toBe(`Bearer ${UPSTREAM_KEY}`);
    expect(headers?.get('prefer')).toBeNull();
  });

  it.each([VERSION, `acme/thing:${VERSION}`])('of the version %s names the version', async (model) => {
    upstream.reply('post', '/predictions', { status: 201, json: prediction() });
    await upstream.create({ ...request, model });
    expect(sent()).toMatchObject({
      path: '/v1/predictions',
      json: { version: VERSION, input: { prompt: 'a cat' } },
    });
    expect(sent().json).not.toHaveProperty('webhook');
  });

  it('of a deployment goes to the deployment', async () => {
    upstream.reply('post', '/deployments/acme/mine/predictions', { status: 201, json: prediction() });
    expect(await upstream.create({ ...request, model: 'deployments/acme/mine' })).toMatchObject({
      type: 'accepted',
    });
  });

  it('writes lengths, sizes and choices of numbers as the models take them', async () => {
    const params = { seconds: '5', size: '1024x768', guidance: '3.5', resolution: '720', style_prompt: '42' };
    await create({ status: 201, json: prediction() }, { params });
    expect(sent().json).toEqual({
      input: {
        prompt: 'a cat',
        duration: 5,
        width: 1024,
        height: 768,
        guidance: 3.5,
        resolution: '720',
        style_prompt: '42',
      },
    });
  });

  it.each<[string, ReferenceFile[], object]>([
    [MODEL, [file('reference')], { image: DATA_URI }],
    [
      'google/nano-banana',
      [file('reference'), file('reference', 'dog.png')],
      { image_input: [DATA_URI, DATA_URI] },
    ],
    [
      'kwaivgi/kling-v2.1',
      [file('first_frame'), file('last_frame')],
      { start_image: DATA_URI, end_image: DATA_URI },
    ],
  ])('of %s names its files as that model does', async (model, references, inputs) => {
    upstream.reply('post', `/models/${model}/predictions`, { status: 201, json: prediction() });
    await upstream.create({ ...request, model, references });
    expect(sent().json).toEqual({ input: { prompt: 'a cat', ...inputs } });
  });

  it('uses the names that an administrator gave to the inputs of a model', async () => {
    upstream.reply('post', '/models/acme/talker/predictions', { status: 201, json: prediction() });
    const references = [file('reference')];
    await upstream.create({ ...request, model: 'acme/talker', params: { seconds: 5 }, references });
    expect(sent().json).toEqual({ input: { script: 'a cat', length: '5', faces: [DATA_URI] } });
  });

  it.each<[string, Partial<CreateRequest>, object]>([
    [
      'a second file for one input',
      { references: [file('reference'), file('reference', 'dog.png')] },
      { code: 'unsupported_reference', message: expect.stringContaining('dog.png') },
    ],
    [
      'a sound as an image',
      { references: [{ ...file('reference'), mime: 'audio/mpeg' }] },
      { code: 'unsupported_reference' },
    ],
    ['a model without an owner', { model: 'flux' }, { code: 'invalid_model', scope: 'account' }],
    ['a model that climbs out of its path', { model: '../x' }, { code: 'invalid_model' }],
    ['a version that is too short', { model: 'acme/x:abc' }, { code: 'invalid_model' }],
  ])('is not sent for %s', async (_name, more, refusal) => {
    expect(await upstream.create({ ...request, ...more })).toMatchObject({ type: 'rejected', ...refusal });
    expect(upstream.creates()).toEqual([]);
  });
});

describe('the answer', () => {
  it('with an id is a job, whose own addresses are kept and our webhook address is not', async () => {
    const outcome = await create({ status: 201, json: prediction({ webhook: WEBHOOK }) });
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: ID,
      pollRef: {
        id: ID,
        endpoint: 'image',
        pollUrl: prediction().urls.get,
        cancelUrl: prediction().urls.cancel,
      },
    });
    expect(JSON.stringify(outcome)).not.toContain('sig=');
  });

  it('of a gateway gives addresses elsewhere, where the key must not go', async () => {
    const urls = { get: 'https://api.replicate.com/v1/predictions/x', cancel: 'nonsense' };
    const outcome = await create({ status: 201, json: prediction({ urls }) });
    expect(outcome).toMatchObject({
      type: 'accepted',
      pollRef: { pollUrl: undefined, cancelUrl: undefined },
    });
  });

  it('B12: keeps a long numeric id digit for digit', async () => {
    const text = `{"id":9223372036854775807,"status":"starting"}`;
    const outcome = await create({ status: 201, text, headers: { 'content-type': 'application/json' } });
    expect(outcome).toMatchObject({ type: 'accepted', upstreamId: '9223372036854775807' });
  });

  it('that has failed already is a job, too: its poll tells', async () => {
    const json = prediction({ status: 'failed', error: 'boom' });
    expect(await create({ status: 201, json })).toMatchObject({ type: 'accepted', upstreamId: ID });
  });

  it.each<[string, Answer]>([
    ['B02: a 502 in HTML', { status: 502, text: '<html>Bad gateway</html>' }],
    ['B02: a 500 with a sentence', { status: 500, json: { detail: 'Internal server error', status: 500 } }],
    ['B02: a 504', { status: 504, json: { detail: 'timeout' } }],
    ['a 409', { status: 409, json: { detail: 'conflict' } }],
    ['a 403 in HTML', { status: 403, text: '<html>Attention required</html>' }],
    ['B10: no id', { status: 201, json: prediction({ id: undefined }) }],
    ['B10: an empty body', { status: 201, text: '' }],
    ['B10: a cut body', { status: 201, text: '{"id":"gm3' }],
    ['B10: a list', { status: 201, json: [prediction()] }],
    ['B01: a broken connection', { broken: true }],
  ])('%s is uncertain', async (_name, answer) => {
    expect(await create(answer)).toMatchObject({ type: 'uncertain' });
    expect(upstream.creates()).toHaveLength(1);
  });

  it.each<[string, Answer, object]>([
    [
      'an input that does not fit',
      {
        status: 422,
        json: {
          title: 'Input validation failed',
          detail: '- input.num_outputs: Must be less than or equal to 4',
          status: 422,
          invalid_fields: [],
        },
      },
      { code: 'http_422', scope: 'request', message: '- input.num_outputs: Must be less than or equal to 4' },
    ],
    [
      'a version that this account may not use',
      {
        status: 422,
        json: {
          title: 'Invalid version or not permitted',
          detail: "The specified version does not exist (or perhaps you don't have permission to use it?)",
          status: 422,
        },
      },
      { code: 'model_not_found', scope: 'account' },
    ],
    [
      'an unknown model',
      { status: 404, json: { detail: 'The requested resource could not be found.', status: 404 } },
      { code: 'model_not_found', scope: 'account' },
    ],
    [
      'a wrong token',
      {
        status: 401,
        json: {
          title: 'Unauthenticated',
          detail: 'You did not pass a valid authentication token',
          status: 401,
        },
      },
      { code: 'unauthorized', scope: 'account' },
    ],
    [
      'no credit',
      {
        status: 402,
        json: {
          title: 'Insufficient credit',
          detail: 'You have insufficient credit to run this model.',
          status: 402,
        },
      },
      { code: 'quota', scope: 'account' },
    ],
    [
      'content that is refused at once',
      { status: 422, json: { detail: 'NSFW content detected in the prompt.', status: 422 } },
      { moderated: true },
    ],
  ])('B46: %s is an explicit refusal', async (_name, answer, expected) => {
    expect(await create(answer)).toMatchObject({ type: 'rejected', ...expected });
  });

  it('a throttled create says in its sentence when to come again', async () => {
    const detail = 'Request was throttled. Your rate limit resets in ~30s.';
    const outcome = await create({ status: 429, json: { detail, status: 429 } });
    expect(outcome).toMatchObject({ type: 'rate_limited', retryAfterMs: 30_000, message: detail });
  });

  it('of any shape never throws and is never taken for our own fault', async () => {
    let answer: Answer = {};
    upstream.reply(
      'post',
      PATH,
      new Proxy({} as Answer, { get: (_target, key) => answer[key as keyof Answer] }),
    );
    const fields = [
      'id',
      'status',
      'urls',
      'get',
      'cancel',
      'output',
      'error',
      'detail',
      'title',
      'webhook',
      'msg',
    ];
    await fc.assert(
      fc.asyncProperty(hostileJson(fields), hostileStatuses, async (json, status) => {
        answer = { status, json };
        const outcome = await upstream.create(request);
        expect(['accepted', 'rejected', 'rate_limited', 'uncertain']).toContain(outcome.type);
        expect(JSON.stringify(outcome)).not.toContain('"internal"');
      }),
    );
  });
});

describe('the test of a channel', () => {
  it.each<[string, Answer, object]>([
    [
      'a good token',
      { json: { type: 'organization', username: 'acme' } },
      { ok: true, message: expect.stringContaining('acme') },
    ],
    [
      'a bad token',
      { status: 401, json: { detail: 'no' } },
      { ok: false, message: expect.stringContaining('refuses this key') },
    ],
    ['something else', { json: { hello: 1 } }, { ok: false, message: expect.stringContaining('Replicate') }],
  ])('tells %s', async (_name, answer, expected) => {
    upstream.reply('get', '/account', answer);
    expect(await upstream.runtime.check(upstream.access)).toEqual(expected);
  });
});
