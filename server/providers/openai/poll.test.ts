import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';

const upstream = createMockUpstream();

async function poll(endpoint: 'videos' | 'responses', answer: Answer) {
  upstream.reply('get', `/${endpoint}/job_1`, answer);
  const outcome = await upstream.poll(endpoint);
  expect(upstream.creates()).toHaveLength(0);
  return outcome;
}

describe.each(['videos', 'responses'] as const)('classification of a poll: %s', (endpoint) => {
  it.each<[string, Answer, object]>([
    [
      'B28: 429',
      { status: 429, headers: { 'retry-after': '7' }, json: {} },
      { errorClass: 'rate_limited', retryAfterMs: 7_000 },
    ],
    ['B28: 503', { status: 503, text: 'x' }, { errorClass: 'server_error' }],
    ['B28: 520', { status: 520, text: 'x' }, { errorClass: 'server_error' }],
    ['B28: a reset', { broken: true }, { errorClass: 'network' }],
    ['408', { status: 408, json: {} }, { errorClass: 'timeout' }],
    ['425', { status: 425, json: {} }, { errorClass: 'rate_limited' }],
    ['B32: 401', { status: 401, json: { error: { message: 'bad key' } } }, { errorClass: 'unauthorized' }],
    ['B32: 403', { status: 403, json: { error: { message: 'disabled' } } }, { errorClass: 'unauthorized' }],
    [
      'B29: HTML with 200',
      { text: '<html>…maintenance failed…</html>', headers: { 'content-type': 'text/html' } },
      { errorClass: 'bad_body' },
    ],
    ['B29: an empty body', { text: '' }, { errorClass: 'bad_body' }],
    ['B29: a truncated body', { text: '{"status":"comp' }, { errorClass: 'bad_body' }],
    ['B29: 504 in HTML', { status: 504, text: '<html>failed</html>' }, { errorClass: 'server_error' }],
    ['a list', { json: [] }, { errorClass: 'bad_body' }],
    ['a bare word', { json: 'failed' }, { errorClass: 'bad_body' }],
    [
      'a 400 without a verdict',
      { status: 400, json: { message: 'Task is not completed yet' } },
      { errorClass: 'bad_body' },
    ],
    [
      'a 500 that claims a failure',
      { status: 500, json: { status: 'failed' } },
      { errorClass: 'server_error' },
    ],
    [
      '200 with a rate error',
      { json: { error: { code: 'rate_limit_exceeded', message: 'slow' } } },
      { errorClass: 'rate_limited' },
    ],
    [
      '200 with a gateway error',
      { json: { error: { code: 'fail_to_fetch_task', message: 'x' } } },
      { errorClass: 'bad_body' },
    ],
  ])('%s is transient', async (_name, answer, expected) => {
    expect(await poll(endpoint, answer)).toMatchObject({ type: 'transient', ...expected });
  });

  it.each<[string, Answer]>([
    ['404', { status: 404, json: { error: { message: 'not found' } } }],
    ['404 in HTML', { status: 404, text: '<html></html>' }],
    ['410', { status: 410, json: {} }],
    ['task_not_exist with 400', { status: 400, json: { code: 'task_not_exist', message: 'x' } }],
  ])('B30: %s is missing', async (_name, answer) => {
    expect((await poll(endpoint, answer)).type).toBe('missing');
  });

  it.each(['unknown', 'post_processing', '', null, 7])(
    'B15: status %j is pending and not known',
    async (status) => {
      expect(await poll(endpoint, { json: { id: 'job_1', status } })).toMatchObject({
        type: 'pending',
        known: false,
        status: String(status ?? ''),
      });
    },
  );

  it.each(['canceled', 'cancelled', 'CANCEL'])('B16: %s is cancelled', async (status) => {
    expect(await poll(endpoint, { json: { status } })).toMatchObject({ type: 'cancelled', status });
  });

  it.each(['FAILURE', 'failed', 'expired', 'nsfw'])('B16: %s is failed', async (status) => {
    expect((await poll(endpoint, { json: { status } })).type).toBe('failed');
  });

  it.each<[string, unknown, object]>([
    ['no error', undefined, { reason: 'The upstream reported a failure without a reason.' }],
    ['null', null, { code: 'upstream_failed' }],
    ['a text', 'out of memory', { reason: 'out of memory' }],
    ['an object', { code: 'x', message: 'y' }, { code: 'x', reason: 'y' }],
    ['an empty object', {}, { code: 'upstream_failed' }],
    ['a list', [{ message: 'first' }], { reason: 'first' }],
    ['a number', 5, { reason: '5' }],
  ])('B22: failed with HTTP 200 and %s as error', async (_name, error, expected) => {
    expect(await poll(endpoint, { json: { status: 'failed', error } })).toMatchObject({
      type: 'failed',
      ...expected,
    });
  });

  it('B23: a late moderation verdict is a failure and is called one', async () => {
    const json = { status: 'failed', error: { code: 'OutputVideoSensitiveContentDetected' } };
    expect(await poll(endpoint, { json })).toMatchObject({
      type: 'failed',
      moderated: true,
      code: 'OutputVideoSensitiveContentDetected',
    });
  });

  it('a 400 that names the job’s failure is a verdict', async () => {
    expect(
      await poll(endpoint, { status: 400, json: { status: 'failed', error: { message: 'bad input' } } }),
    ).toMatchObject({ type: 'failed', reason: 'bad input' });
  });

  it('passes on the wait that upstream asks for', async () => {
    expect(
      await poll(endpoint, { json: { status: 'in_progress' }, headers: { 'openai-poll-after-ms': '1500' } }),
    ).toMatchObject({ retryAfterMs: 1_500 });
    upstream.reply('get', `/${endpoint}/job_2`, {
      json: { status: 'in_progress' },
      headers: { 'retry-after': '3' },
    });
    expect(await upstream.poll(endpoint, 'job_2')).toMatchObject({ retryAfterMs: 3_000 });
  });
});

describe('videos', () => {
  const CONTENT = {
    type: 'url',
    url: 'https://upstream.example/v1/videos/job_1/content',
    authenticated: true,
  };

  it.each<[unknown, number | undefined]>([
    [30, 30],
    ['30%', 30],
    [0.3, 30],
    [99, 99],
    [100, 99],
    ['x', undefined],
    [null, undefined],
  ])('progress %j', async (progress, expected) => {
    expect(await poll('videos', { json: { status: 'in_progress', progress } })).toMatchObject({
      type: 'pending',
      known: true,
      progress: expected,
    });
  });

  it('B17: NOT_START goes on', async () => {
    expect(await poll('videos', { json: { status: 'NOT_START' } })).toMatchObject({
      type: 'pending',
      known: true,
      status: 'NOT_START',
    });
  });

  it.each(['succeed', 'succeeded', 'SUCCESS', 'Success ', 'complete', 'completed'])(
    'B16: %j is succeeded',
    async (status) => {
      expect(await poll('videos', { json: { status } })).toMatchObject({
        type: 'succeeded',
        artefacts: [CONTENT],
      });
    },
  );

  it.each<[string, object]>([
    ['no address', {}],
    ['an empty address', { url: '' }],
    ['an empty list', { output: [] }],
    ['a relative address', { url: '//cdn.example/x.mp4' }],
    ['another scheme', { url: 'file:///x.mp4' }],
  ])('B20: success with %s falls back to the content endpoint', async (_name, more) => {
    expect(await poll('videos', { json: { status: 'completed', progress: 100, ...more } })).toMatchObject({
      type: 'succeeded',
      artefacts: [CONTENT],
    });
  });

  it.each<[string, object]>([
    ['url', { url: 'https://cdn.example/v.mp4' }],
    ['metadata.url', { metadata: { url: 'https://cdn.example/v.mp4' } }],
    ['video_url', { video_url: 'https://cdn.example/v.mp4' }],
    ['output.url', { output: { url: 'https://cdn.example/v.mp4' } }],
    ['output as text', { output: 'https://cdn.example/v.mp4' }],
    ['output as list', { output: [null, 'https://cdn.example/v.mp4'] }],
    ['result_url in data', { data: { result_url: 'https://cdn.example/v.mp4' } }],
    ['task_result', { data: { task_result: { videos: [{ id: '1', url: 'https://cdn.example/v.mp4' }] } } }],
    ['generatedSamples', { generatedSamples: [{ video: { uri: 'https://cdn.example/v.mp4' } }] }],
    ['fail_reason of old gateways', { fail_reason: 'https://cdn.example/v.mp4' }],
  ])('prefers an address in %s, without the key', async (_name, more) => {
    const outcome = await poll('videos', { json: { status: 'completed', ...more } });
    expect(outcome).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'url', url: 'https://cdn.example/v.mp4' }],
    });
    expect(JSON.stringify(outcome)).not.toContain('authenticated');
  });

  it.each<[string, string, string]>([
    [
      'another path of its own',
      'https://upstream.example/files/v.mp4',
      'https://upstream.example/files/v.mp4',
    ],
    [
      'the content path on a host that only it believes in',
      'http://localhost:3000/v1/videos/job_1/content',
      CONTENT.url,
    ],
  ])('a gateway gets the key for %s', async (_name, url, expected) => {
    expect(await poll('videos', { json: { status: 'completed', metadata: { url } } })).toMatchObject({
      artefacts: [{ type: 'url', url: expected, authenticated: true }],
    });
  });

  it('reads an address only in a finished job', async () => {
    expect(
      await poll('videos', { json: { status: 'in_progress', url: 'https://cdn.example/preview.png' } }),
    ).toMatchObject({ type: 'pending' });
  });

  it.each<[object, string]>([
    [{ code: 'success', data: { id: 5, task_id: 't', status: 'IN_PROGRESS', progress: '30%' } }, 'pending'],
    [{ code: 'success', data: { status: 'SUCCESS', result_url: 'https://cdn.example/v.mp4' } }, 'succeeded'],
    [{ status: 'success', data: { status: 'processing' } }, 'pending'],
    [{ status: 200, data: { task_status: 'succeed' } }, 'succeeded'],
    [{ output: { task_status: 'FAILED' } }, 'failed'],
    [{ code: 'success', data: { status: 'FAILURE', fail_reason: 'no' } }, 'failed'],
  ])('reads the envelope %j', async (json, type) => {
    expect((await poll('videos', { json })).type).toBe(type);
  });

  it('B14: reports the seconds that were delivered', async () => {
    expect(await poll('videos', { json: { status: 'completed', seconds: '10' } })).toMatchObject({
      usage: { units: 10 },
    });
  });

  it.each(['', 'x', '-4', null, {}])('reports no seconds for %j', async (seconds) => {
    const outcome = await poll('videos', { json: { status: 'completed', seconds } });
    expect(outcome.type === 'succeeded' && outcome.usage?.units).toBeFalsy();
  });

  it('escapes the id in the address', async () => {
    upstream.reply('get', '/videos/:id', { json: { status: 'queued' } });
    await upstream.poll('videos', 'a/../b?c');
    expect(upstream.seen[0]?.path).toBe('/v1/videos/a%2F..%2Fb%3Fc');
  });
});

describe('responses', () => {
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }];

  it.each<[string, object, object]>([
    [
      'completed',
      { status: 'completed', output, usage: { input_tokens: 2, output_tokens: 3 } },
      {
        type: 'succeeded',
        artefacts: [{ type: 'text', text: 'Hello' }],
        usage: { inputTokens: 2, outputTokens: 3 },
      },
    ],
    [
      'only output_text',
      { status: 'completed', output_text: 'Hi' },
      { type: 'succeeded', artefacts: [{ type: 'text', text: 'Hi' }] },
    ],
    [
      'incomplete with text',
      { status: 'incomplete', output, incomplete_details: { reason: 'max_output_tokens' } },
      { type: 'succeeded', artefacts: [{ type: 'text', text: 'Hello' }] },
    ],
    [
      'incomplete without text',
      { status: 'incomplete', output: [], incomplete_details: { reason: 'content_filter' } },
      { type: 'failed', code: 'content_filter', moderated: true },
    ],
    ['completed without text', { status: 'completed', output: [] }, { type: 'succeeded', artefacts: [] }],
    [
      'a refusal',
      {
        status: 'completed',
        output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'I cannot' }] }],
      },
      { type: 'failed', code: 'refused', moderated: true, reason: 'I cannot' },
    ],
    ['in progress', { status: 'in_progress' }, { type: 'pending', known: true }],
  ])('reads %s', async (_name, json, expected) => {
    expect(await poll('responses', { json })).toMatchObject(expected);
  });

  it.each<[string, Answer, string]>([
    ['cancelled', { json: { status: 'cancelled' } }, 'requested'],
    ['still running', { json: { status: 'in_progress' } }, 'requested'],
    ['finished before', { json: { status: 'completed' } }, 'already_terminal'],
    [
      'B42: 400 already completed',
      { status: 400, json: { error: { code: 'ALREADY_COMPLETED', message: 'x' } } },
      'already_terminal',
    ],
    [
      'B42: 400 in words',
      { status: 400, json: { error: { message: 'Cannot cancel a completed response.' } } },
      'already_terminal',
    ],
    ['405', { status: 405, text: '' }, 'unsupported'],
    ['404', { status: 404, json: {} }, 'unknown'],
    ['500', { status: 500, json: {} }, 'unknown'],
    ['a reset', { broken: true }, 'unknown'],
  ])('cancel: %s', async (_name, answer, expected) => {
    upstream.reply('post', '/responses/job_1/cancel', answer);
    const options = { dispatchId: 'dispatch-1', signal: new AbortController().signal };
    const outcome = await upstream.runtime.cancel(
      upstream.access,
      { id: 'job_1', endpoint: 'responses' },
      options,
    );
    expect(outcome).toBe(expected);
    expect(upstream.seen).toHaveLength(1);
  });

  it('B43: videos cannot be cancelled, and nothing is sent', async () => {
    const options = { dispatchId: 'dispatch-1', signal: new AbortController().signal };
    expect(upstream.runtime.canCancel('openai', 'videos')).toBe(false);
    expect(upstream.runtime.canCancel('openai', 'responses')).toBe(true);
    expect(await upstream.runtime.cancel(upstream.access, { id: 'job_1', endpoint: 'videos' }, options)).toBe(
      'unsupported',
    );
    expect(upstream.seen).toEqual([]);
  });
});
