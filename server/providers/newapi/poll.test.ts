import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';

const ORIGIN = 'https://gateway.example';
const upstream = createMockUpstream({ protocol: 'newapi', baseUrl: `${ORIGIN}/v1` });

const URLS = {
  video: `${ORIGIN}/v1/video/generations/job_1`,
  suno: `${ORIGIN}/suno/fetch/job_1`,
  midjourney: `${ORIGIN}/mj/task/job_1/fetch`,
};
const ENDPOINTS = Object.keys(URLS) as (keyof typeof URLS)[];

async function poll(endpoint: keyof typeof URLS, answer: Answer) {
  upstream.reply('get', URLS[endpoint], answer);
  const outcome = await upstream.poll(endpoint);
  expect(upstream.creates()).toHaveLength(0);
  return outcome;
}

/** A task as the gateway keeps it. */
const task = (more: object) => ({
  code: 'success',
  message: '',
  data: { id: 17, task_id: 'job_1', platform: '50', action: 'generate', fail_reason: '', ...more },
});

/** The same word of a job on each of the three routes. */
const said: Record<keyof typeof URLS, (status: unknown, more?: object) => unknown> = {
  video: (status, more) => task({ status, ...more }),
  suno: (status, more) => task({ status, data: [], ...more }),
  midjourney: (status, more) => ({ id: 'job_1', action: 'IMAGINE', status, ...more }),
};

describe.each(ENDPOINTS)('classification of a poll: %s', (endpoint) => {
  it.each<[string, Answer, object]>([
    [
      'B28: 429',
      { status: 429, headers: { 'retry-after': '7' }, json: {} },
      { errorClass: 'rate_limited', retryAfterMs: 7_000 },
    ],
    ['B28: 503', { status: 503, text: 'x' }, { errorClass: 'server_error' }],
    ['B28: a reset', { broken: true }, { errorClass: 'network' }],
    ['B29: the page of the gateway', { text: '<html>failed</html>' }, { errorClass: 'bad_body' }],
    ['B29: an empty body', { text: '' }, { errorClass: 'bad_body' }],
    ['B32: 401', { status: 401, json: { error: { message: '无效的令牌' } } }, { errorClass: 'unauthorized' }],
    [
      'a 500 that claims a failure',
      { status: 500, json: { status: 'FAILURE' } },
      { errorClass: 'server_error' },
    ],
  ])('%s is transient', async (_name, answer, expected) => {
    expect(await poll(endpoint, answer)).toMatchObject({ type: 'transient', ...expected });
  });

  it.each<[string, Answer]>([
    ['404', { status: 404, json: { error: { message: 'not found' } } }],
    ['task_not_exist', { status: 400, json: { code: 'task_not_exist', message: 'task_not_exist' } }],
    [
      'task_no_found, in the words of the Midjourney routes',
      { status: 400, json: { description: 'task_no_found ', type: 'upstream_error', code: 4 } },
    ],
  ])('B30: %s is missing', async (_name, answer) => {
    expect((await poll(endpoint, answer)).type).toBe('missing');
  });

  it.each(['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS'])('B17: %s goes on', async (status) => {
    expect(await poll(endpoint, { json: said[endpoint](status, { progress: '30%' }) })).toMatchObject({
      type: 'pending',
      known: true,
      status,
      progress: 30,
    });
  });

  it('shows 99 at most before the end, and no preview as a result', async () => {
    const more = {
      progress: '100%',
      imageUrl: 'https://cdn.example/p.png',
      result_url: 'https://cdn.example/p.mp4',
      data: [{ audio_url: 'https://cdn.example/p.mp3' }],
    };
    expect(await poll(endpoint, { json: said[endpoint]('IN_PROGRESS', more) })).toMatchObject({
      type: 'pending',
      progress: 99,
    });
  });

  it.each(['UNKNOWN', 'post_processing', null])('B15: %j is pending and not known', async (status) => {
    expect(await poll(endpoint, { json: said[endpoint](status) })).toMatchObject({
      type: 'pending',
      known: false,
    });
  });

  it('B15: an answer without any status is pending and not known', async () => {
    expect(await poll(endpoint, { json: { code: 'success', data: null } })).toMatchObject({
      type: 'pending',
      known: false,
    });
  });

  it('B16: FAILURE is failed, with the reason that was given', async () => {
    const more = endpoint === 'midjourney' ? { failReason: 'no luck' } : { fail_reason: 'no luck' };
    expect(await poll(endpoint, { json: said[endpoint]('FAILURE', more) })).toMatchObject({
      type: 'failed',
      reason: 'no luck',
      status: 'FAILURE',
    });
  });

  it.each(['CANCEL', 'cancelled'])('B16: %s is cancelled', async (status) => {
    expect((await poll(endpoint, { json: said[endpoint](status) })).type).toBe('cancelled');
  });

  it('escapes the id in the address', async () => {
    const url = URLS[endpoint].replace('job_1', ':id');
    upstream.reply('get', url, { json: said[endpoint]('QUEUED') });
    await upstream.poll(endpoint, 'a/../b?c');
    expect(upstream.seen[0]?.path).toContain('a%2F..%2Fb%3Fc');
  });
});

describe('the unified video route', () => {
  const CONTENT = `${ORIGIN}/v1/videos/job_1/content`;
  const FILE = 'https://cdn.example/v.mp4';

  it.each<[string, unknown]>([
    ['result_url', task({ status: 'SUCCESS', progress: '100%', result_url: FILE })],
    ['fail_reason of old builds', task({ status: 'SUCCESS', fail_reason: FILE })],
    ['a flat object', { task_id: 'job_1', status: 'completed', url: FILE, format: 'mp4', error: null }],
    ['OpenAI’s shape', { id: 'job_1', status: 'completed', progress: 100, metadata: { url: FILE } }],
    ['one more envelope', { code: 'success', data: { status: 'succeeded', url: FILE, error: '' } }],
    [
      'Kling’s own',
      { code: 0, data: { task_status: 'succeed', task_result: { videos: [{ id: '1', url: FILE }] } } },
    ],
  ])('reads the address in %s, without the key', async (_name, json) => {
    const outcome = await poll('video', { json });
    expect(outcome).toMatchObject({ type: 'succeeded', artefacts: [{ type: 'url', url: FILE }] });
    expect(JSON.stringify(outcome)).not.toContain('authenticated');
  });

  it.each<[string, unknown]>([
    ['the gateway’s own address', task({ status: 'SUCCESS', result_url: CONTENT })],
    [
      'the same path on a host that the gateway only believes to have',
      task({ status: 'SUCCESS', result_url: 'http://localhost:3000/v1/videos/job_1/content' }),
    ],
    ['no address', task({ status: 'SUCCESS' })],
    [
      'a data URI, which is kept at the gateway',
      task({ status: 'SUCCESS', result_url: 'data:video/mp4;base64,A' }),
    ],
    ['a failure reason that is no address', task({ status: 'SUCCESS', fail_reason: 'ok' })],
  ])('B20: success with %s reads the content with the key', async (_name, json) => {
    expect(await poll('video', { json })).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'url', url: CONTENT, authenticated: true }],
    });
  });

  it('gives the key to another path of the gateway, and to no path of anybody else', async () => {
    const own = `${ORIGIN}/files/v.mp4`;
    expect(await poll('video', { json: task({ status: 'SUCCESS', result_url: own }) })).toMatchObject({
      artefacts: [{ url: own, authenticated: true }],
    });
    upstream.reply('get', URLS.video, {
      json: task({ status: 'SUCCESS', result_url: 'https://gateway.example.evil.test/files/v.mp4' }),
    });
    expect(JSON.stringify(await upstream.poll('video'))).not.toContain('authenticated');
  });

  it('B23: a late content decision is called one', async () => {
    const json = task({ status: 'FAILURE', fail_reason: 'Blocked by content policy' });
    expect(await poll('video', { json })).toMatchObject({ type: 'failed', moderated: true });
  });

  it('a 400 that names the job’s failure is a verdict', async () => {
    const answer = { status: 400, json: task({ status: 'FAILURE', fail_reason: 'bad input' }) };
    expect(await poll('video', answer)).toMatchObject({ type: 'failed', reason: 'bad input' });
  });

  it('B14: reports the seconds that were delivered', async () => {
    const json = { status: 'completed', url: FILE, metadata: { duration: 5 } };
    expect(await poll('video', { json })).toMatchObject({ usage: { units: 5 } });
  });
});

describe('Suno', () => {
  const clip = (n: number, more: object = {}) => ({
    id: `c${n}`,
    audio_url: `https://cdn.example/${n}.mp3`,
    video_url: `https://cdn.example/${n}.mp4`,
    image_url: `https://cdn.example/${n}.jpeg`,
    status: 'complete',
    metadata: { duration: 120, error_type: null, error_message: null },
    ...more,
  });
  const song = (n: number) => ({ type: 'url', url: `https://cdn.example/${n}.mp3` });
  const done = (...clips: (object | null)[]) => task({ status: 'SUCCESS', progress: '100%', data: clips });

  it('delivers the sound of both clips, not their pictures', async () => {
    expect(await poll('suno', { json: done(clip(1), clip(2)) })).toMatchObject({
      type: 'succeeded',
      artefacts: [song(1), song(2)],
    });
  });

  it.each<[string, unknown]>([
    [
      'camel case',
      { code: 200, data: { status: 'SUCCESS', response: { sunoData: [{ audioUrl: song(1).url }] } } },
    ],
    ['clips by id', { code: 200, data: { status: 'completed', clips: { c1: clip(1) } } }],
    ['clips beside the status', { code: 'success', status: 'complete', data: [clip(1)] }],
  ])('reads %s', async (_name, json) => {
    expect(await poll('suno', { json })).toMatchObject({ type: 'succeeded', artefacts: [song(1)] });
  });

  it('B45: delivers the clip that came when the other failed', async () => {
    const json = done(clip(1, { status: 'error' }), clip(2), clip(3, { audio_url: '' }), null);
    const outcome = await poll('suno', { json });
    expect(outcome.type === 'succeeded' && outcome.artefacts).toEqual([song(2)]);
  });

  it.each(['streaming', 'queued', 'processing'])(
    'waits while a clip is still %s: its address plays a growing file',
    async (status) => {
      expect(await poll('suno', { json: done(clip(1), clip(2, { status })) })).toMatchObject({
        type: 'pending',
        known: true,
      });
    },
  );

  it.each(['text_success', 'FIRST_SUCCESS'])('goes on at %s', async (status) => {
    expect(await poll('suno', { json: task({ status, data: [clip(1)] }) })).toMatchObject({
      type: 'pending',
      known: true,
    });
  });

  it('B20: success without clips has no artefacts', async () => {
    expect(await poll('suno', { json: done() })).toMatchObject({ type: 'succeeded', artefacts: [] });
  });

  it('B23: the clip tells why it failed', async () => {
    const metadata = { error_type: 'moderation_failure', error_message: 'Artist name in the prompt' };
    const json = task({
      status: 'FAILURE',
      fail_reason: 'failed',
      data: [clip(1, { status: 'error', metadata })],
    });
    expect(await poll('suno', { json })).toMatchObject({
      type: 'failed',
      moderated: true,
      code: 'moderation_failure',
      reason: 'Artist name in the prompt',
    });
  });
});

describe('Midjourney', () => {
  const picture = (more: object) => ({ id: 'job_1', status: 'SUCCESS', progress: '100%', ...more });
  const GRID = 'https://cdn.example/grid.png';

  it('takes an empty status as waiting', async () => {
    expect(await poll('midjourney', { json: { id: 'job_1', status: '' } })).toMatchObject({
      type: 'pending',
      known: true,
    });
  });

  it.each<[string, object, object[]]>([
    ['the grid', { imageUrl: GRID, imageUrls: null }, [{ type: 'url', url: GRID }]],
    [
      'single pictures before the grid',
      {
        imageUrl: GRID,
        imageUrls: [{ url: 'https://cdn.example/1.png' }, 'https://cdn.example/2.png', null],
      },
      [
        { type: 'url', url: 'https://cdn.example/1.png' },
        { type: 'url', url: 'https://cdn.example/2.png' },
      ],
    ],
    [
      'the gateway’s own copy, whatever host it names',
      { imageUrl: 'http://localhost:3000/mj/image/job_1' },
      [{ type: 'url', url: `${ORIGIN}/mj/image/job_1`, authenticated: true }],
    ],
    ['nothing', { imageUrl: '' }, []],
    ['no address', { imageUrl: '//cdn.example/x.png' }, []],
  ])('delivers %s', async (_name, more, artefacts) => {
    const outcome = await poll('midjourney', { json: picture(more) });
    expect(outcome.type === 'succeeded' && outcome.artefacts).toEqual(artefacts);
  });

  it('B23: a banned prompt that is found late is a content decision', async () => {
    const json = { id: 'job_1', status: 'FAILURE', failReason: 'Banned prompt detected' };
    expect(await poll('midjourney', { json })).toMatchObject({ type: 'failed', moderated: true });
  });

  it.each<[string, Answer, string]>([
    ['taken', { json: { code: 1, description: 'ok' } }, 'requested'],
    ['taken without a word', { text: '' }, 'requested'],
    ['a gateway without the route', { status: 404, json: {} }, 'unknown'],
    [
      'B43: a gateway that shows its page',
      { text: '<html></html>', headers: { 'content-type': 'text/html' } },
      'unsupported',
    ],
    ['B42: too late', { status: 400, json: { message: 'task already finished' } }, 'already_terminal'],
    ['a reset', { broken: true }, 'unknown'],
  ])('cancel: %s', async (_name, answer, expected) => {
    upstream.reply('post', `${ORIGIN}/mj/task/job_1/cancel`, answer);
    expect(await upstream.cancel('midjourney')).toBe(expected);
    expect(upstream.seen).toHaveLength(1);
  });

  it('B43: nothing else of a gateway can be cancelled, and nothing is sent', async () => {
    for (const endpoint of ['video', 'videos', 'suno', 'responses', 'images']) {
      expect(upstream.runtime.canCancel('newapi', endpoint)).toBe(false);
      expect(await upstream.cancel(endpoint)).toBe('unsupported');
    }
    expect(upstream.seen).toEqual([]);
  });
});

describe('look-up', () => {
  const LIST = `${ORIGIN}/mj/task/list-by-condition`;
  const look = (answer: Answer) => {
    upstream.reply('post', LIST, answer);
    return upstream.lookup({ endpoint: 'midjourney' });
  };

  it('finds the Midjourney task that carries our state', async () => {
    const others = [{ id: '1', state: 'dispatch-10' }, null, { id: '2' }, { state: 'dispatch-1' }];
    expect(await look({ json: [...others, { id: '3', state: 'dispatch-1' }] })).toEqual({
      type: 'found',
      upstreamId: '3',
      pollRef: { id: '3', endpoint: 'midjourney' },
    });
    expect(JSON.parse(upstream.seen[0]?.body ?? '')).toEqual({ state: 'dispatch-1' });
  });

  it.each<[string, Answer]>([
    ['an empty list, which gateways give to every condition but ids', { json: [] }],
    ['other tasks', { json: [{ id: '1', state: 'x' }] }],
    ['an object', { json: { description: 'do_request_failed', code: 4 } }],
    ['a refusal', { status: 400, json: [{ id: '1', state: 'dispatch-1' }] }],
    ['a page', { text: '<html></html>' }],
    ['a reset', { broken: true }],
  ])('proves nothing by %s', async (_name, answer) => {
    expect(await look(answer)).toEqual({ type: 'cannot_tell' });
  });

  it('asks nothing about tasks that carry no reference', async () => {
    for (const endpoint of ['video', 'videos', 'suno', 'images'])
      expect(await upstream.lookup({ endpoint })).toEqual({ type: 'cannot_tell' });
    expect(upstream.seen).toEqual([]);
  });
});
