import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileJson, hostileStatuses } from '#server/testing/hostile-json.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';

const BASE = 'https://queue.fal.example';
const upstream = createMockUpstream({ protocol: 'fal', baseUrl: BASE });
const RESULT = '/fal-ai/flux/requests/job_1';
const URL_1 = 'https://v3.fal.media/files/one.png';
const URL_2 = 'https://v3.fal.media/files/two.png';
const COMPLETED: Answer = {
  json: { status: 'COMPLETED', request_id: 'job_1', metrics: { inference_time: 3.7 } },
};

function ask(endpoint = 'image') {
  const url = `${BASE}${RESULT}`;
  return upstream.poll(endpoint, 'job_1', {
    pollUrl: `${url}/status`,
    resultUrl: url,
    cancelUrl: `${url}/cancel`,
  });
}

function poll(status: Answer, result?: Answer, endpoint?: string) {
  upstream.reply('get', `${RESULT}/status`, status);
  if (result) upstream.reply('get', RESULT, result);
  return ask(endpoint);
}

const image = (url: unknown) => ({ url, width: 1024, height: 768, content_type: 'image/png' });

describe('the status', () => {
  it.each<[string, Answer, object]>([
    [
      'IN_QUEUE',
      { status: 202, json: { status: 'IN_QUEUE', queue_position: 3 } },
      { known: true, status: 'IN_QUEUE' },
    ],
    [
      'IN_PROGRESS',
      { status: 202, json: { status: 'IN_PROGRESS', logs: [] } },
      { known: true, status: 'IN_PROGRESS' },
    ],
    ['B15: a new word', { json: { status: 'WARMING' } }, { known: false, status: 'WARMING' }],
    ['B15: none', { json: { request_id: 'job_1' } }, { known: false }],
  ])('%s is pending, and the result is not asked for', async (_name, status, expected) => {
    expect(await poll(status)).toMatchObject({ type: 'pending', ...expected });
    expect(upstream.seen).toHaveLength(1);
  });

  it.each<[string, Answer, object]>([
    ['B30: 404', { status: 404, json: { detail: 'Request not found' } }, { type: 'missing' }],
    ['B32: 401', { status: 401, json: { detail: 'no' } }, { type: 'transient', errorClass: 'unauthorized' }],
    [
      'B28: 429',
      { status: 429, json: {}, headers: { 'retry-after': '7' } },
      { type: 'transient', retryAfterMs: 7_000 },
    ],
    [
      'B28: 503',
      { status: 503, json: { detail: 'x', error_type: 'runner_disconnected' } },
      { type: 'transient', errorClass: 'server_error' },
    ],
    ['B29: HTML', { text: '<html>COMPLETED failed</html>' }, { type: 'transient', errorClass: 'bad_body' }],
    ['B28: a reset', { broken: true }, { type: 'transient', errorClass: 'network' }],
  ])('%s is no verdict', async (_name, status, expected) => {
    expect(await poll(status)).toMatchObject(expected);
  });

  it('of a job of which only the id is known is asked for below its model', async () => {
    upstream.reply('get', `${RESULT}/status`, COMPLETED);
    upstream.reply('get', RESULT, { json: { images: [image(URL_1)] } });
    expect(await upstream.poll('image', 'job_1', { model: 'fal-ai/flux/dev' })).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'url', url: URL_1 }],
    });
    upstream.reply('put', `${RESULT}/cancel`, { status: 202, json: { status: 'CANCELLATION_REQUESTED' } });
    expect(await upstream.cancel('image', 'job_1', { model: 'fal-ai/flux/dev' })).toBe('requested');
  });

  it('of a job whose addresses were lost asks nobody', async () => {
    expect(await upstream.poll('image')).toMatchObject({ type: 'transient', errorClass: 'internal' });
    expect(upstream.seen).toEqual([]);
  });
});

describe('the result of a completed request', () => {
  it.each<[string, string, object, unknown[]]>([
    [
      'images',
      'image',
      { images: [image(URL_1), image(URL_2)], seed: 1, has_nsfw_concepts: [false, false] },
      [URL_1, URL_2],
    ],
    ['one image', 'image', { image: image(URL_1) }, [URL_1]],
    ['B45: images with a gap', 'image', { images: [image(URL_1), null, image(null)] }, [URL_1]],
    [
      'B21: one image filtered',
      'image',
      { images: [image(URL_1), image(URL_2)], has_nsfw_concepts: [true, false] },
      [URL_2],
    ],
    ['a film', 'video', { video: { url: URL_1, content_type: 'video/mp4' }, image: image(URL_2) }, [URL_1]],
    [
      'a film whose flag is about a picture',
      'video',
      { video: { url: URL_1 }, has_nsfw_concepts: [true] },
      [URL_1],
    ],
    ['a sound', 'audio', { audio: { url: URL_1 } }, [URL_1]],
    ['a sound file', 'audio', { audio_file: { url: URL_1 } }, [URL_1]],
    ['a bare address', 'audio', { audio_url: URL_1 }, [URL_1]],
    ['B20: nothing', 'image', { seed: 4 }, []],
    ['B20: an empty list', 'image', { images: [] }, []],
    ['B20: nothing for a film', 'video', { video: null }, []],
  ])('%s', async (_name, endpoint, payload, urls) => {
    const outcome = await poll(COMPLETED, { json: payload }, endpoint);
    expect(outcome).toMatchObject({ type: 'succeeded', status: 'COMPLETED' });
    expect(outcome).toHaveProperty(
      'artefacts',
      urls.map((url) => ({ type: 'url', url })),
    );
  });

  it('as data is stored, and not in what is kept of it', async () => {
    const data = Buffer.alloc(3_000, 7).toString('base64');
    const outcome = await poll(COMPLETED, { json: { images: [image(`data:image/png;base64,${data}`)] } });
    expect(outcome).toMatchObject({ type: 'succeeded', artefacts: [{ type: 'stored' }] });
    expect(JSON.stringify(outcome)).not.toContain(data.slice(0, 200));
  });

  it.each([[[true, true]], [true]])(
    'B21: is a content decision when every image was filtered: %j',
    async (flags) => {
      const payload = { images: [image(URL_1), image(URL_2)], has_nsfw_concepts: flags };
      expect(await poll(COMPLETED, { json: payload })).toMatchObject({
        type: 'failed',
        code: 'nsfw_filtered',
        moderated: true,
      });
    },
  );

  it.each<[string, Answer, object]>([
    [
      'B22: a field that does not fit',
      { status: 422, json: { detail: [{ loc: ['body'], msg: 'Image too large', type: 'image_too_large' }] } },
      { type: 'failed', code: 'image_too_large', reason: 'Image too large', moderated: false },
    ],
    [
      'B23: a content verdict',
      { status: 422, json: { detail: [{ msg: 'Flagged', type: 'content_policy_violation' }] } },
      { type: 'failed', moderated: true },
    ],
    [
      'B23: a content verdict in words',
      {
        status: 422,
        json: {
          detail: [{ msg: 'It contained material flagged by a content checker.', type: 'value_error' }],
        },
      },
      { type: 'failed', moderated: true },
    ],
    [
      'B22: a sentence',
      { status: 400, json: { detail: 'bad image' } },
      { type: 'failed', reason: 'bad image' },
    ],
    [
      'B22: a typed server error of the model',
      { status: 500, json: { detail: [{ msg: 'oops', type: 'internal_server_error' }] } },
      { type: 'failed', code: 'internal_server_error' },
    ],
    [
      'B22: a stored time-out',
      { status: 504, json: { detail: 'Request timed out', error_type: 'request_timeout' } },
      { type: 'failed', code: 'request_timeout' },
    ],
    [
      'B22: a type in the header only',
      { status: 503, json: { detail: 'gone' }, headers: { 'x-fal-error-type': 'runner_disconnected' } },
      { type: 'failed', code: 'runner_disconnected' },
    ],
    [
      'B16: a cancelled request',
      { status: 499, json: { detail: 'Request was cancelled', error_type: 'client_cancelled' } },
      { type: 'cancelled' },
    ],
    [
      'B16: a cancelled request in words',
      { status: 499, json: { detail: 'Request was cancelled' } },
      { type: 'cancelled' },
    ],
  ])('%s', async (_name, result, expected) => {
    expect(await poll(COMPLETED, result)).toMatchObject(expected);
  });

  it.each<[string, Answer, object]>([
    [
      'a 500 without a type',
      { status: 500, json: { detail: 'Internal Server Error' } },
      { type: 'transient', errorClass: 'server_error' },
    ],
    [
      'an internal error of the platform',
      { status: 500, json: { detail: 'x', error_type: 'internal_error' } },
      { type: 'transient' },
    ],
    ['a 502 in HTML', { status: 502, text: '<html>' }, { type: 'transient', errorClass: 'server_error' }],
    ['HTML', { text: '<html>' }, { type: 'transient', errorClass: 'bad_body' }],
    ['a reset', { broken: true }, { type: 'transient', errorClass: 'network' }],
    [
      'a refused key',
      { status: 401, json: { detail: 'no' } },
      { type: 'transient', errorClass: 'unauthorized' },
    ],
    [
      'a limit of the rate',
      { status: 429, json: { detail: 'slow' } },
      { type: 'transient', errorClass: 'rate_limited' },
    ],
    ['a result that is gone', { status: 404, json: { detail: 'Not found' } }, { type: 'missing' }],
    [
      'a contradiction',
      { status: 400, json: { detail: 'Request is still in progress' } },
      { type: 'pending', known: true },
    ],
  ])('B28: %s is no verdict', async (_name, result, expected) => {
    expect(await poll(COMPLETED, result)).toMatchObject(expected);
  });

  it.each<[string, Answer]>([
    ['is gone', { status: 404, json: { detail: 'Not found' } }],
    ['cannot be read', { broken: true }],
    ['is an error without a type', { status: 500, json: {} }],
  ])('that %s does not hide the failure that the status names', async (_name, result) => {
    const status = { json: { status: 'COMPLETED', error: 'Runner died', error_type: 'runner_server_error' } };
    expect(await poll(status, result)).toMatchObject({
      type: 'failed',
      code: 'runner_server_error',
      reason: 'Runner died',
    });
  });

  it('that is there is believed before an error in the status', async () => {
    const status = { json: { status: 'COMPLETED', error: 'late hiccup' } };
    expect(await poll(status, { json: { images: [image(URL_1)] } })).toMatchObject({ type: 'succeeded' });
  });

  it('of any shape never throws, and its files are addresses or stored bytes', async () => {
    const answers: [Answer, Answer] = [{}, {}];
    const proxied = (at: 0 | 1) =>
      new Proxy({} as Answer, { get: (_target, key) => answers[at][key as keyof Answer] });
    upstream.reply('get', `${RESULT}/status`, proxied(0));
    upstream.reply('get', RESULT, proxied(1));
    const json = hostileJson([
      'status',
      'images',
      'image',
      'video',
      'audio',
      'url',
      'has_nsfw_concepts',
      'detail',
      'msg',
      'type',
      'error',
      'error_type',
      'output',
    ]);
    const types = ['pending', 'succeeded', 'failed', 'cancelled', 'transient', 'missing'];
    const endpoints = fc.constantFrom('image', 'video', 'audio');
    const script = fc.record({
      first: json,
      second: json,
      over: fc.boolean(),
      status: hostileStatuses,
      endpoint: endpoints,
    });
    await fc.assert(
      fc.asyncProperty(script, async ({ first, second, over, status, endpoint }) => {
        answers[0] = over ? COMPLETED : { json: first };
        answers[1] = { status, json: second };
        const outcome = await ask(endpoint);
        expect(types).toContain(outcome.type);
        expect(outcome).not.toMatchObject({ errorClass: 'internal' });
        for (const artefact of outcome.type === 'succeeded' ? outcome.artefacts : []) {
          if (artefact.type === 'url') expect(artefact.url).toMatch(/^https?:\/\//);
        }
      }),
    );
  });
});

describe('a cancel', () => {
  it.each<[string, Answer, string]>([
    ['is taken', { status: 202, json: { status: 'CANCELLATION_REQUESTED' } }, 'requested'],
    ['B42: comes late', { status: 400, json: { status: 'ALREADY_COMPLETED' } }, 'already_terminal'],
    ['is not known', { status: 404, json: { status: 'NOT_FOUND' } }, 'unknown'],
    ['breaks', { broken: true }, 'unknown'],
  ])('that %s', async (_name, answer, expected) => {
    upstream.reply('put', `${RESULT}/cancel`, answer);
    expect(await upstream.cancel('image', 'job_1', { cancelUrl: `${BASE}${RESULT}/cancel` })).toBe(expected);
  });
});
