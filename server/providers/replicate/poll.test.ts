import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileJson, hostileStatuses } from '#server/testing/hostile-json.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';

const upstream = createMockUpstream({ protocol: 'replicate' });
const URL_1 = 'https://replicate.delivery/xezq/one/out-0.webp';
const URL_2 = 'https://replicate.delivery/xezq/one/out-1.webp';

const prediction = (more: object = {}) => ({
  id: 'job_1',
  status: 'processing',
  input: { prompt: 'a cat', image: 'https://us.example/input.png' },
  output: null,
  error: null,
  logs: null,
  urls: {},
  ...more,
});

function poll(answer: Answer, endpoint = 'image') {
  upstream.reply('get', '/predictions/job_1', answer);
  return upstream.poll(endpoint);
}

const polled = (more: object, endpoint?: string) => poll({ json: prediction(more) }, endpoint);

describe('a poll', () => {
  it('asks the address that the prediction gave, else the one below the base URL', async () => {
    upstream.reply('get', '/other/address', { json: prediction() });
    const pollUrl = `${upstream.access.baseUrl}/other/address`;
    expect(await upstream.poll('image', 'job_1', { pollUrl })).toMatchObject({ type: 'pending' });
    expect(await polled({})).toMatchObject({ type: 'pending' });
    expect(upstream.seen.map(({ path }) => path)).toEqual(['/v1/other/address', '/v1/predictions/job_1']);
  });

  it.each<[string, object, object]>([
    ['starting', { status: 'starting' }, { known: true, status: 'starting' }],
    ['processing', {}, { known: true, status: 'processing' }],
    ['B15: a new word', { status: 'hibernating' }, { known: false, status: 'hibernating' }],
    ['B15: no status', { status: undefined }, { known: false }],
    ['B24: the bar of a loop', { logs: 'seed 7\n 10%|█   |\n 45%|████  | 9/20' }, { progress: 45 }],
    ['B24: a loop at its end', { logs: '100%|██████| 20/20' }, { progress: 99 }],
    ['logs without a bar', { logs: 'guidance 3.5' }, { progress: undefined }],
  ])('%s is pending', async (_name, more, expected) => {
    expect(await polled(more)).toMatchObject({ type: 'pending', ...expected });
  });

  it.each<[string, string, unknown, unknown[]]>([
    ['a list', 'image', [URL_1, URL_2], [URL_1, URL_2]],
    ['B45: a list with a gap', 'image', [URL_1, null, ''], [URL_1]],
    ['one address', 'video', URL_1, [URL_1]],
    ['an object with the kind', 'video', { thumbnail: URL_2, video: URL_1 }, [URL_1]],
    ['an object with a list', 'image', { images: [URL_1, URL_2] }, [URL_1, URL_2]],
    ['an object with other names', 'audio', { drums: URL_1, bass: URL_2, bpm: 120 }, [URL_1, URL_2]],
    ['objects in a list', 'image', [{ url: URL_1 }], [URL_1]],
    ['B20: nothing', 'image', null, []],
    ['B20: words', 'image', ['done'], []],
  ])('success with %s gives its files', async (_name, endpoint, output, urls) => {
    const outcome = await polled({ status: 'succeeded', output }, endpoint);
    expect(outcome).toMatchObject({ type: 'succeeded', status: 'succeeded' });
    expect(outcome).toHaveProperty(
      'artefacts',
      urls.map((url) => ({ type: 'url', url })),
    );
  });

  it('bytes inside the answer are stored, and not in what is kept of it', async () => {
    const png = Buffer.alloc(3_000, 7).toString('base64');
    const outcome = await polled({ status: 'succeeded', output: [`data:image/png;base64,${png}`] });
    expect(outcome).toMatchObject({ type: 'succeeded', artefacts: [{ type: 'stored' }] });
    expect([...upstream.storage.files.values()][0]).toHaveLength(3_000);
    expect(JSON.stringify(outcome)).not.toContain(png.slice(0, 200));
  });

  it.each<[string, unknown, string]>([
    ['pieces', ['Once ', 'upon ', 'a time'], 'Once upon a time'],
    ['one text', 'Once', 'Once'],
    ['an object', { text: 'Once' }, 'Once'],
    ['an object of its own', { score: 1 }, '{"score":1}'],
  ])('a text in %s is put together', async (_name, output, text) => {
    const metrics = { input_token_count: 4, output_token_count: 9, predict_time: 1.5 };
    expect(await polled({ status: 'succeeded', output, metrics }, 'text')).toMatchObject({
      artefacts: [{ type: 'text', text }],
      usage: { inputTokens: 4, outputTokens: 9 },
    });
  });

  it.each<[string, object, object]>([
    [
      'B22: a failure with a reason',
      { status: 'failed', error: 'CUDA out of memory' },
      { type: 'failed', reason: 'CUDA out of memory', moderated: false },
    ],
    ['B22: a failure without one', { status: 'failed' }, { type: 'failed', code: 'upstream_failed' }],
    [
      'B23: a content verdict',
      { status: 'failed', error: 'NSFW content detected. Try running it again, or try a different prompt.' },
      { type: 'failed', moderated: true },
    ],
    [
      'B23: a flagged input',
      {
        status: 'failed',
        error: 'The input or output was flagged as sensitive. Please try again with different inputs. (E005)',
      },
      { type: 'failed', moderated: true },
    ],
    ['B16: canceled', { status: 'canceled' }, { type: 'cancelled', status: 'canceled' }],
    ['B16: aborted before it started', { status: 'aborted' }, { type: 'cancelled', status: 'aborted' }],
  ])('%s is a verdict', async (_name, more, expected) => {
    expect(await polled(more)).toMatchObject(expected);
  });

  it.each<[string, Answer, object]>([
    ['B30: 404', { status: 404, json: { detail: 'Not found', status: 404 } }, { type: 'missing' }],
    ['B32: 401', { status: 401, json: { detail: 'no' } }, { type: 'transient', errorClass: 'unauthorized' }],
    [
      'B28: 429',
      { status: 429, json: { detail: 'Your rate limit resets in ~12s.' } },
      { type: 'transient', errorClass: 'rate_limited', retryAfterMs: 12_000 },
    ],
    ['B28: 503', { status: 503, text: 'x' }, { type: 'transient', errorClass: 'server_error' }],
    [
      'B28: a 500 that claims a failure',
      { status: 500, json: prediction({ status: 'failed' }) },
      { type: 'transient' },
    ],
    ['B29: HTML', { text: '<html>failed</html>' }, { type: 'transient', errorClass: 'bad_body' }],
    ['B28: a reset', { broken: true }, { type: 'transient', errorClass: 'network' }],
  ])('%s is no verdict', async (_name, answer, expected) => {
    expect(await poll(answer)).toMatchObject(expected);
  });

  it('of any shape never throws, and its files are addresses, stored bytes or text', async () => {
    let answer: Answer = {};
    upstream.reply(
      'get',
      '/predictions/job_1',
      new Proxy({} as Answer, { get: (_target, key) => answer[key as keyof Answer] }),
    );
    const fields = [
      'id',
      'status',
      'output',
      'error',
      'logs',
      'metrics',
      'input_token_count',
      'url',
      'video',
      'images',
      'text',
    ];
    const types = ['pending', 'succeeded', 'failed', 'cancelled', 'transient', 'missing'];
    const endpoints = fc.constantFrom('image', 'video', 'audio', 'text');
    await fc.assert(
      fc.asyncProperty(hostileJson(fields), hostileStatuses, endpoints, async (json, status, endpoint) => {
        answer = { status, json };
        const outcome = await upstream.poll(endpoint);
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
    ['takes effect', { json: prediction({ status: 'canceled' }) }, 'requested'],
    ['B42: comes late', { json: prediction({ status: 'succeeded', output: URL_1 }) }, 'already_terminal'],
    ['is not known', { status: 404, json: { detail: 'Not found' } }, 'unknown'],
    ['breaks', { broken: true }, 'unknown'],
  ])('that %s', async (_name, answer, expected) => {
    upstream.reply('post', '/predictions/job_1/cancel', answer);
    expect(await upstream.cancel('image')).toBe(expected);
  });
});
