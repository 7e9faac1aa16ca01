import { describe, expect, it } from 'vitest';
import { holdAgainstCreates, UNDECIDED_CREATES } from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream, UPSTREAM_KEY } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile } from '../provider.ts';

const upstream = createMockUpstream({ protocol: 'runway', baseUrl: 'https://runway.example/v1' });

const ID = '17f20503-6c24-4c16-946b-35dbbce2af2f';
const ACCEPTED = { id: ID, estimatedCost: { credits: 60 } };
const BYTES = Buffer.from('iVBORw0KGgo=', 'base64');
const uri = (mime: string) => `data:${mime};base64,${BYTES.toString('base64')}`;

type Role = ReferenceFile['role'];
function file(role: Role, mime = 'image/png', bytes = BYTES.byteLength): ReferenceFile {
  return { id: role, role, fileName: 'cat.png', mime, bytes, read: async () => BYTES };
}

const video: Partial<CreateRequest> = { kind: 'video', endpoint: 'video', model: 'gen4.5' };

async function create(path: string, answer: Answer, request: Partial<CreateRequest>) {
  upstream.reply('post', path, answer);
  return upstream.create(request);
}

const sent = () => JSON.parse(upstream.creates()[0]?.body ?? '') as unknown;

describe('what is sent', () => {
  it('names key and version of the wire', async () => {
    const outcome = await create('/text_to_video', { json: ACCEPTED }, video);
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: ID,
      pollRef: { id: ID, endpoint: 'video' },
    });
    const [request] = upstream.creates();
    expect(request?.headers.get('authorization')).toBe(`Bearer ${UPSTREAM_KEY}`);
    expect(request?.headers.get('x-runway-version')).toBe('2024-11-06');
    expect(request?.headers.get('x-client-request-id')).toBe('dispatch-1');
  });

  const first = { uri: uri('image/png'), position: 'first' };
  const last = { uri: uri('image/jpeg'), position: 'last' };

  it.each<[string, string, Partial<CreateRequest>, object]>([
    [
      'a video from text',
      '/text_to_video',
      {
        params: {
          seconds: '5',
          size: '1280x720',
          seed: '42',
          contentModeration: { publicFigureThreshold: 'low' },
        },
      },
      { duration: 5, ratio: '1280:720', seed: 42, contentModeration: { publicFigureThreshold: 'low' } },
    ],
    [
      'a video from a first frame',
      '/image_to_video',
      { params: { seconds: 10, ratio: '720:1280' }, references: [file('first_frame')] },
      { duration: 10, ratio: '720:1280', promptImage: [first] },
    ],
    [
      'a video from first and last frame',
      '/image_to_video',
      { references: [file('first_frame'), file('last_frame', 'image/jpeg')] },
      { promptImage: [first, last] },
    ],
    [
      'a video with images to follow',
      '/text_to_video',
      { model: 'seedance2', references: [file('reference'), file('reference', 'image/webp')] },
      { references: [{ uri: uri('image/png') }, { uri: uri('image/webp') }] },
    ],
    [
      "a video from a video by Runway's own model",
      '/video_to_video',
      { model: 'aleph2', references: [file('reference', 'video/mp4')] },
      { videoUri: uri('video/mp4') },
    ],
    [
      'a video from a video by another model, with an image',
      '/video_to_video',
      { model: 'seedance2', references: [file('reference', 'video/mp4'), file('first_frame')] },
      { promptVideo: uri('video/mp4'), references: [{ uri: uri('image/png') }] },
    ],
  ])('%s', async (_name, path, more, fields) => {
    await create(path, { json: ACCEPTED }, { ...video, ...more });
    expect(sent()).toEqual({ model: more.model ?? 'gen4.5', promptText: 'a cat', ...fields });
  });

  it('an image, with images to follow', async () => {
    await create(
      '/text_to_image',
      { json: ACCEPTED },
      {
        kind: 'image',
        endpoint: 'image',
        model: 'gpt_image_2',
        params: { n: 2, ratio: 'auto' },
        references: [file('reference')],
      },
    );
    expect(sent()).toEqual({
      model: 'gpt_image_2',
      promptText: 'a cat',
      outputCount: 2,
      ratio: 'auto',
      referenceImages: [{ uri: uri('image/png') }],
    });
  });

  it('speech, with a ready-made voice', async () => {
    const speech: Partial<CreateRequest> = {
      kind: 'audio',
      endpoint: 'speech',
      model: 'eleven_multilingual_v2',
    };
    await create('/text_to_speech', { json: ACCEPTED }, { ...speech, params: { voice: 'Maya' } });
    expect(sent()).toEqual({
      model: 'eleven_multilingual_v2',
      promptText: 'a cat',
      voice: { type: 'runway-preset', presetId: 'Maya' },
    });
  });

  it('a sound', async () => {
    const sound: Partial<CreateRequest> = {
      kind: 'audio',
      endpoint: 'sound',
      model: 'eleven_text_to_sound_v2',
    };
    await create('/sound_effect', { json: ACCEPTED }, { ...sound, params: { seconds: '6', loop: true } });
    expect(sent()).toEqual({
      model: 'eleven_text_to_sound_v2',
      promptText: 'a cat',
      duration: 6,
      loop: true,
    });
  });
});

describe('files that cannot be taken are refused before anything is sent', () => {
  const TOO_LARGE = 4_000_000;
  it.each<[string, Partial<CreateRequest>, string]>([
    ['a sound for a video', { references: [file('reference', 'audio/mpeg')] }, 'unsupported_reference'],
    ['two first frames', { references: [file('first_frame'), file('first_frame')] }, 'unsupported_reference'],
    [
      'two videos',
      { references: [file('reference', 'video/mp4'), file('reference', 'video/mp4')] },
      'unsupported_reference',
    ],
    [
      'a video for an image',
      { endpoint: 'image', kind: 'image', references: [file('reference', 'video/mp4')] },
      'unsupported_reference',
    ],
    [
      'an image for speech',
      { endpoint: 'speech', kind: 'audio', references: [file('reference')] },
      'unsupported_reference',
    ],
    ['a large image', { references: [file('first_frame', 'image/png', TOO_LARGE)] }, 'reference_too_large'],
    ['a large video', { references: [file('reference', 'video/mp4', 13_000_000)] }, 'reference_too_large'],
  ])('%s', async (_name, more, code) => {
    expect(await upstream.create({ ...video, ...more })).toMatchObject({ type: 'rejected', code });
    expect(upstream.seen).toEqual([]);
  });

  it('a video of the size of a large image is taken', async () => {
    const references = [file('reference', 'video/mp4', TOO_LARGE)];
    expect(await create('/video_to_video', { json: ACCEPTED }, { ...video, references })).toMatchObject({
      type: 'accepted',
    });
  });
});

describe('the answer to a create', () => {
  it.each(UNDECIDED_CREATES)('%s is uncertain', async (_name, answer) => {
    expect((await create('/text_to_video', answer, video)).type).toBe('uncertain');
    expect(upstream.creates()).toHaveLength(1);
  });

  it.each([null, 'null', '', 7.5, {}, []])('B10: the id %j is none', async (id) => {
    expect((await create('/text_to_video', { json: { id } }, video)).type).toBe('uncertain');
  });

  it.each<[string, Answer, object]>([
    [
      'no credits',
      { status: 400, json: { error: 'You do not have enough credits to run this task.' } },
      { code: 'quota', scope: 'account' },
    ],
    [
      'a bad key',
      { status: 401, json: { error: 'The API key you provided is invalid.' } },
      { code: 'unauthorized', scope: 'account' },
    ],
    [
      'a model that this account may not use',
      { status: 403, json: { error: 'Model variant gen9 is not available.' } },
      { scope: 'account' },
    ],
    [
      'a spent day',
      { status: 429, json: { error: 'You have reached your daily task limit.' } },
      { code: 'quota', scope: 'account' },
    ],
    [
      'a wrong field',
      {
        status: 400,
        json: {
          error: 'Validation of body failed',
          issues: [{ code: 'too_big', path: ['promptText'], message: 'Too long' }, null],
          docUrl: 'https://x.example',
        },
      },
      { code: 'http_400', scope: 'request', message: 'Validation of body failed (promptText: Too long)' },
    ],
    [
      'a refused description',
      { status: 400, json: { error: 'Your prompt was flagged by content moderation.' } },
      { moderated: true },
    ],
  ])('%s is rejected', async (_name, answer, expected) => {
    expect(await create('/text_to_video', answer, video)).toMatchObject({ type: 'rejected', ...expected });
  });

  it('too many requests pause the channel', async () => {
    const answer = { status: 429, headers: { 'retry-after': '9' }, json: { error: 'Too many requests.' } };
    expect(await create('/text_to_video', answer, video)).toMatchObject({
      type: 'rate_limited',
      retryAfterMs: 9_000,
    });
  });

  it('holds whatever JSON comes back', () =>
    holdAgainstCreates(upstream, {
      path: '/text_to_video',
      request: video,
      fields: ['id', 'issues', 'path', 'estimatedCost'],
      words: [ID, 'SUCCEEDED', 'FAILED'],
      samples: [ACCEPTED, { error: 'x', issues: [{ path: ['a'], message: 'b' }] }],
    }));
});
