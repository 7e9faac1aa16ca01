import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream, UPSTREAM_KEY } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile } from '../provider.ts';

const ORIGIN = 'https://gemini.example';
const upstream = createMockUpstream({ protocol: 'gemini', baseUrl: `${ORIGIN}/v1beta` });

const VIDEO_URL = `${ORIGIN}/v1beta/models/veo-3.1:predictLongRunning`;
const IMAGE_URL = `${ORIGIN}/v1beta/models/banana:generateContent`;
const OPERATION = 'models/veo-3.1/operations/4f8x2kq9';
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64');
const PNG = PIXEL.toString('base64');

const video: Partial<CreateRequest> = { kind: 'video', endpoint: 'video', model: 'veo-3.1' };
const image: Partial<CreateRequest> = { kind: 'image', endpoint: 'image', model: 'banana' };

function file(role: ReferenceFile['role'], mime = 'image/png'): ReferenceFile {
  return { id: role, role, fileName: 'cat.png', mime, bytes: PIXEL.byteLength, read: async () => PIXEL };
}

function createVideo(answer: Answer, more: Partial<CreateRequest> = {}) {
  upstream.reply('post', VIDEO_URL, answer);
  return upstream.create({ ...video, ...more });
}

function createImage(answer: Answer, more: Partial<CreateRequest> = {}) {
  upstream.reply('post', IMAGE_URL, answer);
  return upstream.create({ ...image, ...more });
}

const sent = () => JSON.parse(upstream.creates()[0]?.body ?? '') as unknown;
const rpcError = (code: number, status: string, message: string, details: unknown[] = []): Answer => ({
  status: code,
  json: { error: { code, message, status, details } },
});
const parts = (...list: object[]) => ({
  candidates: [{ content: { role: 'model', parts: list }, finishReason: 'STOP', index: 0 }],
});
const picture = { inlineData: { mimeType: 'image/png', data: PNG } };

describe('a video', () => {
  it('is ordered in the shape of a long-running prediction', async () => {
    const params = {
      n: 2,
      seconds: '8',
      aspect_ratio: '9:16',
      resolution: '1080p',
      negative_prompt: 'fog',
      person_generation: 'allow_adult',
      seed: '7',
      enhancePrompt: true,
    };
    const outcome = await createVideo({ json: { name: OPERATION } }, { params });
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: OPERATION,
      pollRef: { id: OPERATION, endpoint: 'video' },
    });
    expect(sent()).toEqual({
      instances: [{ prompt: 'a cat' }],
      parameters: {
        sampleCount: 2,
        durationSeconds: 8,
        aspectRatio: '9:16',
        resolution: '1080p',
        negativePrompt: 'fog',
        personGeneration: 'allow_adult',
        seed: 7,
        enhancePrompt: true,
      },
    });
    const [request] = upstream.creates();
    expect(request?.path).toBe('/v1beta/models/veo-3.1:predictLongRunning');
    expect(request?.headers.get('x-goog-api-key')).toBe(UPSTREAM_KEY);
    expect(request?.headers.get('authorization')).toBeNull();
    expect(request?.query.size).toBe(0);
  });

  it('takes frames by their role, and other files as assets', async () => {
    const references = [file('first_frame'), file('last_frame', 'image/jpeg'), file('reference')];
    await createVideo({ json: { name: OPERATION } }, { references });
    expect(sent()).toEqual({
      instances: [
        {
          prompt: 'a cat',
          image: { bytesBase64Encoded: PNG, mimeType: 'image/png' },
          lastFrame: { bytesBase64Encoded: PNG, mimeType: 'image/jpeg' },
          referenceImages: [
            { image: { bytesBase64Encoded: PNG, mimeType: 'image/png' }, referenceType: 'asset' },
          ],
        },
      ],
      parameters: {},
    });
  });

  it.each<[string, ReferenceFile[]]>([
    ['a sound', [file('reference', 'audio/mpeg')]],
    ['two first frames', [file('first_frame'), file('first_frame')]],
    ['two last frames', [file('last_frame'), file('last_frame')]],
  ])('refuses %s before anything is sent', async (_name, references) => {
    expect(await upstream.create({ ...video, references })).toMatchObject({
      type: 'rejected',
      code: 'unsupported_reference',
    });
    expect(upstream.seen).toEqual([]);
  });

  it.each([
    ['https://gemini.example', 'models/veo-3.1'],
    ['https://gemini.example/v1beta/', 'veo-3.1'],
    ['https://gemini.example/v1beta', 'veo-3.1'],
  ])('reads the base URL %s and the model %s', async (baseUrl, model) => {
    upstream.reply('post', VIDEO_URL, { json: { name: OPERATION } });
    const request = { ...video, model, prompt: 'x', params: {}, references: [] } as CreateRequest;
    const options = { dispatchId: 'd', timeoutMs: 30_000, signal: new AbortController().signal };
    expect(await upstream.runtime.create({ ...upstream.access, baseUrl }, request, options)).toMatchObject({
      type: 'accepted',
    });
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['a null name', { name: null }],
    ['an empty name', { name: '' }],
    ['a name that leads elsewhere', { name: 'models/../../x' }],
    ['a name with an empty part', { name: '/operations/x' }],
    ['an error of its own', { error: { code: 500, status: 'INTERNAL', message: 'x' } }],
    ['an unknown error', { error: { message: 'x' } }],
  ])('B10: 200 with %s is uncertain', async (_name, json) => {
    expect((await createVideo({ json })).type).toBe('uncertain');
  });
});

describe.each([
  ['a video', createVideo],
  ['an image', createImage],
] as const)('a create of %s', (_kind, create) => {
  it.each<[string, Answer]>([
    ['B02: a 500', rpcError(500, 'INTERNAL', 'An internal error has occurred.')],
    ['B02: a 503', rpcError(503, 'UNAVAILABLE', 'The model is overloaded.')],
    ['B02: a 504', rpcError(504, 'DEADLINE_EXCEEDED', 'x')],
    ['B02: a 502 in HTML', { status: 502, text: '<html></html>' }],
    ['B01: a reset', { broken: true }],
    ['an aborted transaction', rpcError(409, 'ABORTED', 'x')],
    ['a list', { json: [] }],
    ['an empty body', { text: '' }],
  ])('%s is uncertain', async (_name, answer) => {
    expect((await create(answer)).type).toBe('uncertain');
    expect(upstream.creates()).toHaveLength(1);
  });

  const info = (reason: string) => [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }];
  const daily = [
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaId: 'PredictLongRunningRequestsPerDayPerProjectPerModel' }],
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' },
  ];

  it.each<[string, Answer, object]>([
    [
      'a bad key, which comes with 400',
      rpcError(400, 'INVALID_ARGUMENT', 'API key not valid.', info('API_KEY_INVALID')),
      { code: 'API_KEY_INVALID', scope: 'account' },
    ],
    [
      'a bad key in words only',
      rpcError(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.'),
      { code: 'INVALID_ARGUMENT', scope: 'account' },
    ],
    [
      'a key without permission',
      rpcError(403, 'PERMISSION_DENIED', 'Your API key was reported as leaked.'),
      { code: 'PERMISSION_DENIED', scope: 'account' },
    ],
    [
      'a switched off service',
      rpcError(403, 'PERMISSION_DENIED', 'x', info('SERVICE_DISABLED')),
      { code: 'SERVICE_DISABLED', scope: 'account' },
    ],
    [
      'a country that is not served',
      rpcError(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
      { scope: 'account' },
    ],
    [
      'a model that is not there',
      rpcError(404, 'NOT_FOUND', 'models/veo-9 is not found'),
      { code: 'model_not_found', scope: 'account' },
    ],
    [
      'a spent day',
      rpcError(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', daily),
      { code: 'quota', scope: 'account' },
    ],
    [
      'no quota at all',
      rpcError(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for metric: x, limit: 0'),
      { code: 'quota', scope: 'account' },
    ],
    [
      'a wrong field',
      rpcError(400, 'INVALID_ARGUMENT', 'durationSeconds is out of bound'),
      { code: 'INVALID_ARGUMENT', scope: 'request', message: 'durationSeconds is out of bound' },
    ],
    [
      'a refused description',
      rpcError(400, 'INVALID_ARGUMENT', "The prompt violates Google's Responsible AI practices."),
      { moderated: true },
    ],
  ])('%s is rejected', async (_name, answer, expected) => {
    expect(await create(answer)).toMatchObject({ type: 'rejected', ...expected });
  });

  it.each<[string, Answer, number | undefined]>([
    ['RetryInfo', rpcError(429, 'RESOURCE_EXHAUSTED', 'x', [{ retryDelay: '37s' }]), 37_000],
    ['a fraction in RetryInfo', rpcError(429, 'RESOURCE_EXHAUSTED', 'x', [{ retryDelay: '0.5s' }]), 500],
    ['a sentence', rpcError(429, 'RESOURCE_EXHAUSTED', 'Please retry in 12.5s.'), 12_500],
    [
      'nothing',
      rpcError(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
      undefined,
    ],
    ['a list of other details', rpcError(429, 'RESOURCE_EXHAUSTED', 'x', [null, 'x', {}]), undefined],
  ])('a rate limit is told with the wait of %s', async (_name, answer, retryAfterMs) => {
    expect(await create(answer)).toMatchObject({ type: 'rate_limited', retryAfterMs });
  });

  it('an explicit error in a 200 is a refusal', async () => {
    const json = { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } };
    expect(await create({ json })).toMatchObject({ type: 'rejected', scope: 'account' });
    const limit = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow' } };
    expect(await create({ json: limit })).toMatchObject({ type: 'rate_limited' });
  });
});

describe('an image', () => {
  it('is ordered as a content answer with pictures', async () => {
    const params = { n: 1, aspect_ratio: '16:9', resolution: '2K', temperature: '0.7' };
    await createImage({ json: parts(picture) }, { params, references: [file('reference', 'image/webp')] });
    expect(sent()).toEqual({
      contents: [
        {
          role: 'user',
          parts: [{ inlineData: { mimeType: 'image/webp', data: PNG } }, { text: 'a cat' }],
        },
      ],
      generationConfig: {
        temperature: 0.7,
        responseModalities: ['TEXT', 'IMAGE'],
        imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
      },
    });
    expect(upstream.creates()[0]?.path).toBe('/v1beta/models/banana:generateContent');
  });

  it('orders several images as candidates, and no size when none is chosen', async () => {
    await createImage({ json: parts(picture) }, { params: { n: '3' } });
    expect(sent()).toMatchObject({
      generationConfig: { candidateCount: 3, responseModalities: ['TEXT', 'IMAGE'] },
    });
    expect(JSON.stringify(sent())).not.toContain('imageConfig');
  });

  it('B61: stores its bytes and keeps no base64 of them', async () => {
    const json = {
      ...parts({ text: 'Here it is.' }, { ...picture, thought: true }, picture, picture),
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 1290, thoughtsTokenCount: 10 },
    };
    const outcome = await createImage({ json });
    expect(outcome).toMatchObject({
      type: 'done',
      artefacts: [
        { type: 'stored', storageKey: 'incoming/dispatch-1/0', mime: 'image/png' },
        { type: 'stored', storageKey: 'incoming/dispatch-1/1', mime: 'image/png' },
      ],
      usage: { inputTokens: 11, outputTokens: 1300 },
    });
    expect(Buffer.from(upstream.storage.files.get('incoming/dispatch-1/0') ?? [])).toEqual(PIXEL);
    expect(JSON.stringify(outcome)).not.toContain(PNG);
    expect(upstream.storage.files.size).toBe(2);
  });

  it('B45: delivers the candidates that were made when another was blocked', async () => {
    const json = {
      candidates: [{ finishReason: 'IMAGE_SAFETY' }, null, ...parts(picture).candidates],
    };
    const outcome = await createImage({ json }, { params: { n: 3 } });
    expect(outcome).toMatchObject({ type: 'done', artefacts: [{ type: 'stored' }] });
  });

  it.each<[string, object, object]>([
    [
      'a blocked prompt',
      { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
      { code: 'PROHIBITED_CONTENT', moderated: true },
    ],
    [
      'a blocked prompt with a reason',
      { promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'Not this.' } },
      { message: 'Not this.', moderated: true },
    ],
    ...[
      'SAFETY',
      'IMAGE_SAFETY',
      'PROHIBITED_CONTENT',
      'IMAGE_PROHIBITED_CONTENT',
      'BLOCKLIST',
      'SPII',
      'RECITATION',
      'IMAGE_RECITATION',
    ].map((finishReason): [string, object, object] => [
      finishReason,
      { candidates: [{ finishReason }] },
      { code: finishReason, moderated: true },
    ]),
    [
      'a finish message',
      { candidates: [{ finishReason: 'IMAGE_SAFETY', finishMessage: 'Unable to show it.' }] },
      { message: 'Unable to show it.', moderated: true },
    ],
    ['no image', { candidates: [{ finishReason: 'NO_IMAGE' }] }, { code: 'no_image', moderated: false }],
    ['only words', parts({ text: 'I can only talk.' }), { code: 'no_image', message: 'I can only talk.' }],
    [
      'an image without bytes',
      parts({ inlineData: { mimeType: 'image/png', data: '' } }),
      { code: 'no_image' },
    ],
  ])('%s is rejected', async (_name, json, expected) => {
    expect(await createImage({ json })).toMatchObject({ type: 'rejected', ...expected });
    expect(upstream.storage.files.size).toBe(0);
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['no candidates', { candidates: [] }],
    ['a candidate that is not finished', { candidates: [{ content: { parts: [{ text: 'x' }] } }] }],
    ['an unknown way to finish', { candidates: [{ finishReason: 'CONTINUATION' }] }],
    ['usage only', { usageMetadata: { promptTokenCount: 3 } }],
  ])('B10: 200 with %s is uncertain', async (_name, json) => {
    expect((await createImage({ json })).type).toBe('uncertain');
  });
});
