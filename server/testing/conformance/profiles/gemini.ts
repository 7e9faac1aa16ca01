import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

const API_KEY = 'gemini-conformance-0123456789abcdef';
const VEO = 'veo-3.1-generate-preview';

const fault = (
  code: number,
  status: string,
  message: string,
  details: { '@type': string; [field: string]: unknown }[] = [],
): WireReply => ({ status: code, json: { error: { code, message, status, details } } });

const detail = (type: string, fields: object) => ({
  '@type': `type.googleapis.com/google.rpc.${type}`,
  ...fields,
});

/** A wrong key comes with HTTP 400 here. */
function refusesKey(request: WireRequest): WireRoute | undefined {
  if (request.headers['x-goog-api-key'] === API_KEY) return undefined;
  const info = detail('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' });
  const message = 'API key not valid. Please pass a valid API key.';
  return { type: 'other', reply: fault(400, 'INVALID_ARGUMENT', message, [info]) };
}

const COMMON = {
  protocol: 'gemini',
  basePath: '/v1beta',
  apiKey: API_KEY,
  rejected: fault(400, 'INVALID_ARGUMENT', 'The value of aspectRatio is not supported.'),
  accountRejected: fault(403, 'PERMISSION_DENIED', 'The API has not been used in this project.', [
    detail('ErrorInfo', { reason: 'SERVICE_DISABLED' }),
  ]),
  rateLimited: fault(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
    detail('QuotaFailure', { violations: [{ quotaId: 'RequestsPerMinutePerProjectPerModel' }] }),
    detail('RetryInfo', { retryDelay: '7s' }),
  ]),
  missing: () => fault(404, 'NOT_FOUND', 'Requested entity was not found.'),
} satisfies Partial<WireProfile>;

/** A long-running operation: no words for its state, only `done`, `error` and what was filtered out. */
function operation(id: string, state: JobState): WireReply {
  const ended = (more: object): WireReply => ({ json: { name: id, done: true, ...more } });
  const videos = (found: object) =>
    ended({
      response: {
        '@type': 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse',
        generateVideoResponse: found,
      },
    });
  switch (state.type) {
    case 'succeeded':
      return videos({ generatedSamples: state.urls.map((uri) => ({ video: uri === null ? {} : { uri } })) });
    case 'empty':
      return videos({});
    case 'moderated':
      return videos({ raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['The face of a celebrity.'] });
    case 'failed':
      return ended({ error: { code: 13, message: state.reason ?? 'Internal error.' } });
    case 'cancelled':
      return ended({ error: { code: 1, message: 'The operation was cancelled.' } });
    default:
      return { json: { name: id } };
  }
}

const video: WireProfile = {
  ...COMMON,
  name: 'gemini/video',
  endpoint: 'video',
  kind: 'video',
  synchronous: false,
  model: VEO,
  params: { seconds: '8', aspect_ratio: '16:9' },
  manyOutputs: true,
  jobId: (n) => `models/${VEO}/operations/op${n}x7k2`,
  route(request) {
    const refused = refusesKey(request);
    if (refused) return refused;
    if (request.method === 'POST' && request.path === `/models/${VEO}:predictLongRunning`)
      return { type: 'create' };
    const id = /^\/(models\/[^/]+\/operations\/[^/]+)$/.exec(request.path)?.[1];
    return request.method === 'GET' && id ? { type: 'poll', id: decodeURIComponent(id) } : undefined;
  },
  accepted: (id) => ({ json: { name: id } }),
  noId: { json: {} },
  job: operation,
};

const image: WireProfile = {
  ...COMMON,
  name: 'gemini/image',
  endpoint: 'image',
  kind: 'image',
  synchronous: true,
  model: 'gemini-2.5-flash-image',
  params: { aspect_ratio: '1:1' },
  manyOutputs: false,
  jobId: (n) => `none-${n}`,
  route(request) {
    const refused = refusesKey(request);
    if (refused) return refused;
    const isCreate =
      request.method === 'POST' && request.path === '/models/gemini-2.5-flash-image:generateContent';
    return isCreate ? { type: 'create' } : undefined;
  },
  accepted: () => ({ json: {} }),
  done: (media) => ({
    json: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Here is your image.' },
              ...media.map(({ bytes, mime }) => ({
                inlineData: { mimeType: mime, data: Buffer.from(bytes).toString('base64') },
              })),
            ],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 1_290, totalTokenCount: 1_302 },
      modelVersion: 'gemini-2.5-flash-image',
    },
  }),
  noId: { json: { usageMetadata: { promptTokenCount: 12 }, modelVersion: 'gemini-2.5-flash-image' } },
  job: () => COMMON.missing(),
};

export const geminiProfiles: readonly WireProfile[] = [video, image];
