import { describe, expect, it } from 'vitest';
import {
  holdAgainstCreates,
  holdAgainstPolls,
  TRANSIENT_POLLS,
} from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream, UPSTREAM_KEY } from '#server/testing/msw/upstream.ts';

const ORIGIN = 'https://gemini.example';
const upstream = createMockUpstream({ protocol: 'gemini', baseUrl: `${ORIGIN}/v1beta` });

const OPERATION = 'models/veo-3.1/operations/4f8x2kq9';
const FILE = `${ORIGIN}/v1beta/files/abc:download?alt=media`;

async function poll(answer: Answer, name = OPERATION) {
  upstream.reply('get', `/${name}`, answer);
  const outcome = await upstream.poll('video', name);
  expect(upstream.creates()).toHaveLength(0);
  return outcome;
}

const done = (response: object) => ({ json: { name: OPERATION, done: true, response } });
const videos = (found: object) => done({ generateVideoResponse: found });
const sample = (uri: unknown) => ({ video: { uri } });

describe('a poll of an operation', () => {
  it('goes to its name, slashes and all, with the key in a header', async () => {
    await poll({ json: { name: OPERATION } });
    expect(upstream.seen[0]?.path).toBe(`/v1beta/${OPERATION}`);
    expect(upstream.seen[0]?.headers.get('x-goog-api-key')).toBe(UPSTREAM_KEY);
    expect(upstream.seen[0]?.query.size).toBe(0);
  });

  it('encodes what would change the address, part by part', async () => {
    upstream.reply('get', '/models/veo/operations/:id', { json: { name: 'x' } });
    await upstream.poll('video', 'models/veo/operations/a?b#c');
    await upstream.poll('video', 'models/veo/operations/%2e%2e');
    expect(upstream.seen.map((request) => request.path)).toEqual([
      '/v1beta/models/veo/operations/a%3Fb%23c',
      '/v1beta/models/veo/operations/%252e%252e',
    ]);
  });

  it('of a name that leads elsewhere asks nothing', async () => {
    expect((await upstream.poll('video', 'models/../../x')).type).toBe('missing');
    expect(upstream.seen).toEqual([]);
  });

  it.each(TRANSIENT_POLLS)('%s is transient', async (_name, answer, errorClass) => {
    expect(await poll(answer)).toMatchObject({ type: 'transient', errorClass });
  });

  it.each<[string, Answer, object]>([
    [
      'B28: a rate limit with RetryInfo',
      {
        status: 429,
        json: {
          error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x', details: [{ retryDelay: '37s' }] },
        },
      },
      { errorClass: 'rate_limited', retryAfterMs: 37_000 },
    ],
    [
      'B32: a bad key, which comes with 400',
      {
        status: 400,
        json: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid.' } },
      },
      { errorClass: 'unauthorized' },
    ],
    [
      'an error in a 200 without an operation',
      { json: { error: { code: 500, status: 'INTERNAL', message: 'x' } } },
      { errorClass: 'bad_body' },
    ],
  ])('%s is transient', async (_name, answer, expected) => {
    expect(await poll(answer)).toMatchObject({ type: 'transient', ...expected });
  });

  it('B30: an operation that nobody knows is missing', async () => {
    const json = { error: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' } };
    expect(await poll({ status: 404, json })).toMatchObject({ type: 'missing' });
  });

  it.each<[string, unknown, boolean]>([
    ['done left out', { name: OPERATION }, true],
    ['done false', { name: OPERATION, done: false, metadata: {} }, true],
    ['B15: done in words', { name: OPERATION, done: 'yes' }, false],
    ['B15: done null', { name: OPERATION, done: null }, false],
    ['B15: something else', { status: 'running' }, false],
  ])('with %s goes on', async (_name, json, known) => {
    expect(await poll({ json })).toMatchObject({ type: 'pending', known });
  });

  it('ends with addresses that need the key', async () => {
    const bare = `${ORIGIN}/v1beta/files/def:download`;
    const other = 'https://storage.example/x.mp4';
    const outcome = await poll(videos({ generatedSamples: [sample(FILE), sample(bare), sample(other)] }));
    expect(outcome).toMatchObject({
      type: 'succeeded',
      artefacts: [
        { type: 'url', url: FILE, authenticated: true },
        { type: 'url', url: `${bare}?alt=media`, authenticated: true },
        { type: 'url', url: other, authenticated: true },
      ],
    });
  });

  it('B61: stores a video that comes inside the answer, and keeps no base64 of it', async () => {
    const bytes = Buffer.from('000000186674797069736f6d', 'hex');
    const encodedVideo = bytes.toString('base64');
    const outcome = await poll(
      videos({ generatedSamples: [{ video: { encodedVideo, encoding: 'video/mp4' } }] }),
    );
    expect(outcome).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'stored', storageKey: 'incoming/dispatch-1/0', mime: 'video/mp4' }],
    });
    expect(Buffer.from(upstream.storage.files.get('incoming/dispatch-1/0') ?? [])).toEqual(bytes);
    expect(JSON.stringify(outcome)).not.toContain(encodedVideo);
  });

  it.each<[string, object]>([
    ['a count and reasons', { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['Not this face.'] }],
    ['reasons only', { raiMediaFilteredReasons: ['Not this face.'] }],
    [
      'no samples beside them',
      { generatedSamples: [], raiMediaFilteredCount: 2, raiMediaFilteredReasons: ['Not this', 'face.'] },
    ],
  ])('B21: filtered with %s is a content decision', async (_name, found) => {
    expect(await poll(videos(found))).toMatchObject({
      type: 'failed',
      code: 'rai_filtered',
      moderated: true,
      reason: 'Not this face.',
    });
  });

  it('B21: filtered without a reason gets one', async () => {
    expect(await poll(videos({ raiMediaFilteredCount: 1 }))).toMatchObject({
      type: 'failed',
      moderated: true,
      reason: expect.stringMatching(/content/),
    });
  });

  it('B45: partly filtered is the part that was made', async () => {
    const found = {
      generatedSamples: [sample(FILE)],
      raiMediaFilteredCount: 1,
      raiMediaFilteredReasons: ['x'],
    };
    expect(await poll(videos(found))).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'url', url: FILE }],
    });
  });

  it.each<[string, Answer]>([
    ['an empty answer', videos({})],
    ['no answer', { json: { name: OPERATION, done: true } }],
    ['no samples', videos({ generatedSamples: [] })],
    [
      'samples without an address',
      videos({ generatedSamples: [null, {}, { video: null }, sample(''), sample('gs://bucket/x')] }),
    ],
    ['a count of nothing', videos({ raiMediaFilteredCount: 0, raiMediaFilteredReasons: [] })],
  ])('B20: success with %s names no result', async (_name, answer) => {
    expect(await poll(answer)).toMatchObject({ type: 'succeeded', artefacts: [] });
  });

  it.each<[string, unknown, object]>([
    [
      'a number of gRPC',
      { code: 13, message: 'Internal error.' },
      { code: 'INTERNAL', reason: 'Internal error.', moderated: false },
    ],
    ['a word', { code: 400, status: 'INVALID_ARGUMENT', message: 'x' }, { code: 'INVALID_ARGUMENT' }],
    [
      'a content decision',
      { code: 3, message: 'The image violates the usage guidelines.' },
      { code: 'INVALID_ARGUMENT', moderated: true },
    ],
    ['an unknown number', { code: 99, message: 'x' }, { code: '99' }],
    [
      'nothing in it',
      {},
      { code: 'upstream_failed', reason: 'The upstream reported a failure without a reason.' },
    ],
  ])('B22: an error with %s is a failure', async (_name, error, expected) => {
    expect(await poll({ json: { name: OPERATION, done: true, error } })).toMatchObject({
      type: 'failed',
      ...expected,
    });
  });

  it('an operation that was stopped is cancelled', async () => {
    expect(
      await poll({ json: { name: OPERATION, done: true, error: { code: 1, message: 'x' } } }),
    ).toMatchObject({
      type: 'cancelled',
    });
  });

  it('has nothing to ask for images', async () => {
    expect(await upstream.poll('image')).toMatchObject({ type: 'transient', errorClass: 'internal' });
    expect(upstream.seen).toEqual([]);
  });
});

describe('what Google cannot be asked', () => {
  it('is neither cancelled, nor looked up, nor told by webhooks', async () => {
    expect(await upstream.cancel('video', OPERATION)).toBe('unsupported');
    expect(await upstream.lookup()).toEqual({ type: 'cannot_tell' });
    expect(upstream.runtime.hasWebhooks('gemini')).toBe(false);
    expect(upstream.seen).toEqual([]);
  });
});

describe('check', () => {
  it.each<[string, Answer, boolean, RegExp]>([
    ['models', { json: { models: [{ name: 'models/x' }] } }, true, /key is accepted/],
    [
      'a bad key',
      {
        status: 400,
        json: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid.' } },
      },
      false,
      /refuses this key/,
    ],
    ['another address', { status: 404, text: '<html></html>' }, false, /Check the base URL/],
  ])('says what %s means', async (_name, answer, ok, message) => {
    upstream.reply('get', '/models', answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok,
      message: expect.stringMatching(message),
    });
    expect(upstream.seen[0]?.query.get('pageSize')).toBe('1');
  });
});

describe('whatever JSON comes back', () => {
  const OPERATIONS = [
    {
      name: OPERATION,
      done: true,
      response: {
        generateVideoResponse: {
          generatedSamples: [sample(FILE), sample(FILE)],
          raiMediaFilteredCount: 1,
          raiMediaFilteredReasons: ['x'],
        },
      },
    },
    { name: OPERATION, done: true, error: { code: 13, message: 'x', details: [{ reason: 'X' }] } },
    { name: OPERATION, metadata: {} },
    {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'x',
        details: [{ retryDelay: '1s', violations: [{ quotaId: 'PerDay' }] }],
      },
    },
  ];
  const ANSWERS = [
    {
      candidates: [
        {
          content: {
            parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
    },
    { promptFeedback: { blockReason: 'SAFETY' } },
    ...OPERATIONS,
  ];
  const fields = [
    'name',
    'done',
    'error',
    'response',
    'candidates',
    'content',
    'parts',
    'inlineData',
    'finishReason',
    'promptFeedback',
    'details',
  ];
  const words = [true, 'STOP', 'SAFETY', OPERATION, 13, 'INTERNAL'];

  it('a create of a video holds', () =>
    holdAgainstCreates(upstream, {
      path: '/models/veo-3.1:predictLongRunning',
      request: { kind: 'video', endpoint: 'video', model: 'veo-3.1' },
      fields,
      words,
      samples: OPERATIONS,
    }));

  it('a create of an image holds', () =>
    holdAgainstCreates(upstream, {
      path: '/models/banana:generateContent',
      request: { kind: 'image', endpoint: 'image', model: 'banana' },
      fields,
      words,
      samples: ANSWERS,
    }));

  it('a poll holds', () =>
    holdAgainstPolls(upstream, {
      paths: ['/job_1'],
      endpoint: 'video',
      fields,
      words,
      samples: OPERATIONS,
      runs: 400,
    }));
});
