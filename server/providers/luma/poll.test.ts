import { describe, expect, it } from 'vitest';
import { holdAgainstPolls, TRANSIENT_POLLS } from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';

const upstream = createMockUpstream({ protocol: 'luma', baseUrl: 'https://luma.example/dream-machine/v1' });

const MP4 = 'https://storage.cdn-luma.com/a.mp4';
const JPG = 'https://storage.cdn-luma.com/a.jpg';
const PREVIEW = 'https://storage.cdn-luma.com/progress.mp4';

async function poll(answer: Answer, endpoint = 'video') {
  upstream.reply('get', '/generations/job_1', answer);
  const outcome = await upstream.poll(endpoint);
  expect(upstream.creates()).toHaveLength(0);
  return outcome;
}

const generation = (state: unknown, more: object = {}): Answer => ({
  json: { id: 'job_1', generation_type: 'video', state, created_at: '2026-11-29T10:00:00Z', ...more },
});

describe('a poll', () => {
  it.each(TRANSIENT_POLLS)('%s is transient', async (_name, answer, errorClass) => {
    expect(await poll(answer)).toMatchObject({ type: 'transient', errorClass });
  });

  it('B30: a generation that nobody knows is missing', async () => {
    expect(await poll({ status: 404, json: { detail: 'Generation not found' } })).toMatchObject({
      type: 'missing',
    });
  });

  it.each<[unknown, boolean]>([
    ['queued', true],
    ['dreaming', true],
    ['polishing', false],
    ['', false],
    [null, false],
  ])('B15: the state %j goes on', async (state, known) => {
    expect(await poll(generation(state, { assets: { progress_video: PREVIEW } }))).toMatchObject({
      type: 'pending',
      known,
    });
  });

  it.each<[string, string, object, string[]]>([
    ['a video', 'video', { assets: { video: MP4, image: JPG, progress_video: PREVIEW } }, [MP4]],
    ['an image', 'image', { assets: { image: JPG, video: null } }, [JPG]],
    ['B20: no video but a preview', 'video', { assets: { progress_video: PREVIEW } }, []],
    ['B20: a still instead of the video', 'video', { assets: { image: JPG } }, []],
    ['B20: no assets', 'video', { assets: null }, []],
    ['B20: an address that is none', 'video', { assets: { video: '/a.mp4' } }, []],
    [
      'only what was asked for',
      'video',
      { assets: {}, request: { keyframes: { frame0: { url: JPG } } } },
      [],
    ],
  ])('a success with %s', async (_name, endpoint, more, urls) => {
    expect(await poll(generation('completed', more), endpoint)).toMatchObject({
      type: 'succeeded',
      artefacts: urls.map((url) => ({ type: 'url', url })),
    });
  });

  it.each<[string, object, object]>([
    ['a reason', { failure_reason: 'Out of memory' }, { reason: 'Out of memory', moderated: false }],
    ['B23: a content decision', { failure_reason: 'The generation was moderated' }, { moderated: true }],
    ['B22: no reason', { failure_reason: null }, { code: 'upstream_failed' }],
  ])('a failure with %s', async (_name, more, expected) => {
    expect(await poll(generation('failed', more))).toMatchObject({ type: 'failed', ...expected });
  });

  it.each([400, 422])('a %i that names the failure is a verdict, any other is not', async (status) => {
    const json = { id: 'job_1', state: 'failed', failure_reason: 'Bad input' };
    expect(await poll({ status, json })).toMatchObject({ type: 'failed', reason: 'Bad input' });
    expect(await poll({ status, json: { detail: 'x' } })).toMatchObject({ type: 'transient' });
  });

  it('holds whatever JSON comes back', () =>
    holdAgainstPolls(upstream, {
      paths: ['/generations/job_1'],
      endpoint: 'video',
      fields: ['state', 'assets', 'video', 'image', 'failure_reason', 'request', 'created_at'],
      words: ['queued', 'dreaming', 'completed', 'failed', MP4],
      samples: [
        {
          id: 'job_1',
          state: 'completed',
          assets: { video: MP4, image: JPG },
          request: { callback_url: MP4 },
        },
        { id: 'job_1', state: 'failed', failure_reason: 'x' },
      ],
      runs: 300,
    }));
});

describe('a cancel', () => {
  it('is not offered: a delete would take the result with it', async () => {
    expect(await upstream.cancel('video')).toBe('unsupported');
    expect(upstream.seen).toEqual([]);
  });
});

describe('a callback', () => {
  const deliver = (body: string, query: Record<string, string> = {}) =>
    upstream.readWebhook({ rawBody: Buffer.from(body), query });

  it('is an unverified hint with id, state and our reference', async () => {
    const body = JSON.stringify({ id: 'gen_1', state: 'completed', assets: { video: MP4 } });
    expect(await deliver(body, { ref: 'dispatch-1', sig: 'x' })).toEqual({
      type: 'hint',
      verified: false,
      upstreamId: 'gen_1',
      clientRef: 'dispatch-1',
      status: 'completed',
    });
  });

  it('B12: keeps long ids digit for digit', async () => {
    expect(await deliver('{"id":9007199254740993}')).toMatchObject({ upstreamId: '9007199254740993' });
  });

  it.each(['', 'x', '[]', 'null', '{"id":null}'])('that names no job (%j) is refused', async (body) => {
    expect(await deliver(body)).toMatchObject({ type: 'refused' });
  });
});

describe('check', () => {
  it.each<[string, Answer, boolean, RegExp]>([
    ['money', { json: { credit_balance: 1_234.5 } }, true, /12\.35 US dollars are left/],
    ['a bad key', { status: 403, json: { detail: 'Not authenticated' } }, false, /refuses this key/],
    ['another service', { json: {} }, false, /Check the base URL/],
  ])('says what %s means', async (_name, answer, ok, message) => {
    upstream.reply('get', '/credits', answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok,
      message: expect.stringMatching(message),
    });
  });
});
