import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileJson, hostileStatuses } from '#server/testing/hostile-json.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile } from '../provider.ts';

const BASE = 'https://queue.fal.example';
const upstream = createMockUpstream({ protocol: 'fal', baseUrl: BASE, apiKey: 'key-id:key-secret' });
const MODEL = 'fal-ai/flux/dev';
const ID = '024ca5b1-45d3-4afd-883e-ad3abe2a1c4d';
const request: Partial<CreateRequest> = { endpoint: 'image', model: MODEL };
const WEBHOOK = 'https://us.example/webhooks/c1?ref=dispatch-1&sig=a+b/c=';
const DATA_URI = 'data:image/png;base64,Y2F0';

const answered = (more: object = {}) => ({
  status: 'IN_QUEUE',
  request_id: ID,
  gateway_request_id: ID,
  response_url: `${BASE}/fal-ai/flux/requests/${ID}`,
  status_url: `${BASE}/fal-ai/flux/requests/${ID}/status`,
  cancel_url: `${BASE}/fal-ai/flux/requests/${ID}/cancel`,
  queue_position: 0,
  ...more,
});

async function create(answer: Answer, more: Partial<CreateRequest> = {}, webhookUrl?: string) {
  upstream.reply('post', `/${more.model ?? MODEL}`, answer);
  return upstream.create({ ...request, ...more }, { webhookUrl });
}

const sent = () => {
  const [only, ...others] = upstream.creates();
  expect(others).toEqual([]);
  return {
    path: only?.path,
    query: only?.query,
    headers: only?.headers,
    json: JSON.parse(only?.body ?? '') as unknown,
  };
};

const file = (role: ReferenceFile['role'], fileName = 'cat.png'): ReferenceFile => ({
  id: fileName,
  role,
  fileName,
  mime: 'image/png',
  bytes: 3,
  read: async () => Buffer.from('cat'),
});

describe('the request', () => {
  it('is the input itself, at the path of the model, with our webhook in the query', async () => {
    const params = { n: 2, size: '1024x768', seed: 7, format: 'png', safety_tolerance: '2' };
    await create({ json: answered() }, { params }, WEBHOOK);
    const { path, query, headers, json } = sent();
    expect(path).toBe('/fal-ai/flux/dev');
    expect(Object.fromEntries(query ?? [])).toEqual({ fal_webhook: WEBHOOK });
    expect(json).toEqual({
      prompt: 'a cat',
      num_images: 2,
      image_size: { width: 1024, height: 768 },
      seed: 7,
      output_format: 'png',
      safety_tolerance: '2',
    });
    expect(headers?.get('authorization')).toBe('Key key-id:key-secret');
  });

  it('names a preset as it is, and no webhook where there is none', async () => {
    await create({ json: answered() }, { params: { size: 'landscape_4_3', ratio: '4:3' } });
    expect(sent().json).toEqual({ prompt: 'a cat', image_size: 'landscape_4_3', aspect_ratio: '4:3' });
    expect(sent().query?.size).toBe(0);
  });

  it.each<[string, ReferenceFile[], object]>([
    ['fal-ai/flux/dev/image-to-image', [file('reference')], { image_url: DATA_URI, duration: 5 }],
    [
      'fal-ai/nano-banana/edit',
      [file('reference'), file('reference', 'b.png')],
      { image_urls: [DATA_URI, DATA_URI], duration: 5 },
    ],
    [
      'fal-ai/kling-video/v2.1/pro/image-to-video',
      [file('first_frame'), file('last_frame')],
      { image_url: DATA_URI, tail_image_url: DATA_URI, duration: '5' },
    ],
    ['fal-ai/veo3', [], { duration: '5s' }],
  ])('of %s names files and length as that model does', async (model, references, inputs) => {
    await create({ json: answered() }, { model, references, params: { seconds: '5' } });
    expect(sent().json).toEqual({ prompt: 'a cat', ...inputs });
  });

  it.each<[string, Partial<CreateRequest>, object]>([
    ['a model without an owner', { model: 'flux' }, { code: 'invalid_model', scope: 'account' }],
    ['a model that climbs out of its path', { model: 'fal-ai/../x' }, { code: 'invalid_model' }],
    ['a model with a query', { model: 'fal-ai/flux?x=1' }, { code: 'invalid_model' }],
    [
      'two files for one input',
      { references: [file('reference'), file('first_frame', 'b.png')] },
      { code: 'unsupported_reference' },
    ],
  ])('is not sent for %s', async (_name, more, refusal) => {
    expect(await upstream.create({ ...request, ...more })).toMatchObject({ type: 'rejected', ...refusal });
    expect(upstream.creates()).toEqual([]);
  });
});

describe('the answer', () => {
  it('with a request id is a job with the addresses that were given', async () => {
    expect(await create({ json: answered() })).toMatchObject({
      type: 'accepted',
      upstreamId: ID,
      pollRef: {
        id: ID,
        endpoint: 'image',
        pollUrl: answered().status_url,
        resultUrl: answered().response_url,
        cancelUrl: answered().cancel_url,
      },
    });
  });

  it.each([
    [MODEL, 'fal-ai/flux'],
    ['workflows/acme/story/v2', 'workflows/acme/story'],
  ])(
    'of a gateway is asked again through the gateway, without the sub-path: %s',
    async (model, application) => {
      const elsewhere = {
        status_url: 'https://queue.fal.run/x/status',
        response_url: undefined,
        cancel_url: 7,
      };
      const base = `${BASE}/${application}/requests/${ID}`;
      expect(await create({ json: answered(elsewhere) }, { model })).toMatchObject({
        pollRef: { pollUrl: `${base}/status`, resultUrl: base, cancelUrl: `${base}/cancel` },
      });
    },
  );

  it.each<[string, Answer]>([
    ['B02: a 502 in HTML', { status: 502, text: '<html>Bad gateway</html>' }],
    [
      'B02: a typed 504',
      { status: 504, json: { detail: 'Request timed out', error_type: 'request_timeout' } },
    ],
    ['B02: a 500', { status: 500, json: { detail: 'Internal Server Error' } }],
    ['B10: no request id', { json: answered({ request_id: undefined }) }],
    ['B10: an empty body', { text: '' }],
    ['B10: a list', { json: [] }],
    ['B01: a broken connection', { broken: true }],
  ])('%s is uncertain', async (_name, answer) => {
    expect(await create(answer)).toMatchObject({ type: 'uncertain' });
    expect(upstream.creates()).toHaveLength(1);
  });

  it.each<[string, Answer, object]>([
    [
      'a wrong key',
      { status: 401, json: { detail: 'Authentication is required to access this application.' } },
      { code: 'unauthorized', scope: 'account' },
    ],
    [
      'a locked account',
      { status: 403, json: { detail: 'User is locked. Reason: Exhausted balance. Top up your balance.' } },
      { code: 'quota', scope: 'account' },
    ],
    [
      'an unknown model',
      { status: 404, json: { detail: "Application 'flux' not found" } },
      { code: 'model_not_found', scope: 'account' },
    ],
    [
      'a field that does not fit',
      {
        status: 422,
        json: { detail: [{ loc: ['body', 'prompt'], msg: 'Field required', type: 'missing' }] },
      },
      { code: 'missing', message: 'Field required', scope: 'request' },
    ],
    [
      'content that is refused',
      {
        status: 422,
        json: { detail: [{ loc: ['body', 'prompt'], msg: 'Flagged.', type: 'content_policy_violation' }] },
      },
      { code: 'content_policy_violation', moderated: true },
    ],
  ])('B46: %s is an explicit refusal', async (_name, answer, expected) => {
    expect(await create(answer)).toMatchObject({ type: 'rejected', ...expected });
  });

  it('that there are too many is a limit of the rate', async () => {
    const answer = { status: 429, json: { detail: 'Too many requests' }, headers: { 'retry-after': '9' } };
    expect(await create(answer)).toMatchObject({ type: 'rate_limited', retryAfterMs: 9_000 });
  });

  it('of any shape never throws and is never taken for our own fault', async () => {
    let answer: Answer = {};
    upstream.reply(
      'post',
      `/${MODEL}`,
      new Proxy({} as Answer, { get: (_target, key) => answer[key as keyof Answer] }),
    );
    const fields = [
      'request_id',
      'status',
      'status_url',
      'response_url',
      'cancel_url',
      'detail',
      'error',
      'msg',
      'type',
      'error_type',
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
  const asked = '/fal-ai/flux/requests/00000000-0000-4000-8000-000000000000/status';
  it.each<[string, Answer, object]>([
    ['a key that is taken', { status: 404, json: { detail: 'Request not found' } }, { ok: true }],
    [
      'a bad key',
      { status: 401, json: { detail: 'no' } },
      { ok: false, message: expect.stringContaining('refuses this key') },
    ],
    [
      'something else',
      { status: 404, text: '<html>' },
      { ok: false, message: expect.stringContaining('fal') },
    ],
  ])('tells %s', async (_name, answer, expected) => {
    upstream.reply('get', asked, answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject(expected);
    expect(upstream.creates()).toEqual([]);
  });
});
