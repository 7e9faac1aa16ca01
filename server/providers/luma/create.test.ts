import { describe, expect, it } from 'vitest';
import { holdAgainstCreates, UNDECIDED_CREATES } from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream, UPSTREAM_KEY } from '#server/testing/msw/upstream.ts';
import type { CreateRequest } from '../provider.ts';

const upstream = createMockUpstream({ protocol: 'luma', baseUrl: 'https://luma.example/dream-machine/v1' });

const ID = 'ab8e4b51-9b7c-4b9f-9d1a-5f6f4d1f2c3d';
const ACCEPTED = { id: ID, generation_type: 'video', state: 'queued', assets: null, model: 'ray-2' };
const HOOK = 'https://lane.example/webhooks/c1?ref=dispatch-1&sig=a%2Bb';

const video: Partial<CreateRequest> = { kind: 'video', endpoint: 'video', model: 'ray-2' };
const image: Partial<CreateRequest> = { kind: 'image', endpoint: 'image', model: 'photon-1' };

async function create(answer: Answer, request: Partial<CreateRequest> = video, webhookUrl?: string) {
  upstream.reply('post', request.endpoint === 'image' ? '/generations/image' : '/generations', answer);
  return upstream.create(request, { webhookUrl });
}

const sent = () => JSON.parse(upstream.creates()[0]?.body ?? '') as unknown;

describe('what is sent', () => {
  it('a video, with the unit in its length and our callback address as it is', async () => {
    const params = {
      seconds: '5',
      aspect_ratio: '9:16',
      resolution: '720p',
      loop: false,
      concepts: [{ key: 'dolly_zoom' }],
    };
    const outcome = await create({ status: 201, json: ACCEPTED }, { ...video, params }, HOOK);
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: ID,
      pollRef: { id: ID, endpoint: 'video' },
    });
    expect(sent()).toEqual({
      model: 'ray-2',
      prompt: 'a cat',
      duration: '5s',
      aspect_ratio: '9:16',
      resolution: '720p',
      loop: false,
      concepts: [{ key: 'dolly_zoom' }],
      callback_url: HOOK,
    });
    expect(upstream.creates()[0]?.headers.get('authorization')).toBe(`Bearer ${UPSTREAM_KEY}`);
  });

  it('an image, without a callback when this server has no public address', async () => {
    const outcome = await create({ json: ACCEPTED }, { ...image, params: { ratio: '1:1', format: 'png' } });
    expect(outcome).toMatchObject({ type: 'accepted', pollRef: { endpoint: 'image' } });
    expect(sent()).toEqual({ model: 'photon-1', prompt: 'a cat', aspect_ratio: '1:1', format: 'png' });
  });

  it.each([
    ['9s', '9s'],
    [9, '9s'],
    ['9', '9s'],
  ])('the length %j as %j', async (seconds, duration) => {
    await create({ json: ACCEPTED }, { ...video, params: { seconds } });
    expect(sent()).toMatchObject({ duration });
  });

  it.each(['first_frame', 'last_frame', 'reference'] as const)(
    'no file (%s): it is refused before anything is sent',
    async (role) => {
      const read = async () => new Uint8Array();
      const references = [{ id: '1', role, fileName: 'cat.png', mime: 'image/png', bytes: 8, read }];
      expect(await upstream.create({ ...video, references })).toMatchObject({
        type: 'rejected',
        code: 'unsupported_reference',
      });
      expect(upstream.seen).toEqual([]);
    },
  );
});

describe('the answer to a create', () => {
  it.each(UNDECIDED_CREATES)('%s is uncertain', async (_name, answer) => {
    expect((await create(answer)).type).toBe('uncertain');
    expect(upstream.creates()).toHaveLength(1);
  });

  it.each([null, 'null', '', {}, true])('B10: the id %j is none', async (id) => {
    expect((await create({ json: { id, state: 'queued' } })).type).toBe('uncertain');
  });

  it.each<[string, Answer, object]>([
    [
      'no credits',
      { status: 400, json: { detail: 'Insufficient credits' } },
      { code: 'quota', scope: 'account' },
    ],
    ['payment required', { status: 402, json: { detail: 'x' } }, { code: 'quota', scope: 'account' }],
    ['a bad key', { status: 401, json: { detail: 'Invalid API key' } }, { scope: 'account' }],
    ['no access', { status: 403, json: { detail: 'Not authenticated' } }, { scope: 'account' }],
    [
      'a wrong field',
      {
        status: 422,
        json: { detail: [{ loc: ['body', 'model'], msg: 'Input should be ray-2', type: 'literal_error' }] },
      },
      { scope: 'request', message: 'Input should be ray-2' },
    ],
    [
      'a refused description',
      { status: 400, json: { detail: '400: prompt was moderated' } },
      { moderated: true },
    ],
  ])('%s is rejected', async (_name, answer, expected) => {
    expect(await create(answer)).toMatchObject({ type: 'rejected', ...expected });
  });

  it('too many requests pause the channel', async () => {
    const answer = { status: 429, headers: { 'retry-after': '4' }, json: { detail: 'Rate limit exceeded' } };
    expect(await create(answer)).toMatchObject({ type: 'rate_limited', retryAfterMs: 4_000 });
  });

  it('holds whatever JSON comes back', () =>
    holdAgainstCreates(upstream, {
      path: '/generations',
      request: video,
      fields: ['id', 'state', 'detail', 'assets', 'failure_reason'],
      words: [ID, 'queued', 'failed', 'completed'],
      samples: [ACCEPTED, { detail: [{ loc: ['body'], msg: 'x' }] }],
    }));
});
