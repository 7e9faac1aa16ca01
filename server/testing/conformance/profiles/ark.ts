import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

const API_KEY = 'ark-conformance-0123456789';

const refused = (status: number, code: string, message: string): WireReply => ({
  status,
  json: { error: { code, message: `${message} Request id: 021`, param: '', type: 'Error' } },
});

function refusesKey(request: WireRequest): WireRoute | undefined {
  return request.headers.authorization === `Bearer ${API_KEY}`
    ? undefined
    : {
        type: 'other',
        reply: refused(401, 'AuthenticationError', 'The API key in the request is missing or invalid.'),
      };
}

const STATUS: Readonly<Record<JobState['type'], string>> = {
  queued: 'queued',
  running: 'running',
  unknown: 'warming_up',
  succeeded: 'succeeded',
  empty: 'succeeded',
  failed: 'failed',
  moderated: 'failed',
  cancelled: 'cancelled',
};

function errorOf(state: JobState): object | null {
  if (state.type === 'moderated') {
    const message = 'The request failed because the output video may contain sensitive information.';
    return { code: 'OutputVideoSensitiveContentDetected', message };
  }
  return state.type === 'failed'
    ? { code: 'InternalServiceError', message: state.reason ?? 'The service failed.' }
    : null;
}

const COMMON = {
  protocol: 'ark',
  apiKey: API_KEY,
  basePath: '/api/v3',
  rejected: refused(400, 'InvalidParameter', 'One or more parameters are not valid.'),
  accountRejected: refused(403, 'AccountOverdueError', 'Your account has an overdue balance.'),
  rateLimited: {
    ...refused(429, 'ModelAccountRpmRateLimitExceeded', 'The request rate is limited.'),
    headers: { 'retry-after': '7' },
  },
  noId: { json: {} },
  missing: () => refused(404, 'ResourceNotFound', 'The specified task does not exist.'),
} satisfies Partial<WireProfile>;

const video: WireProfile = {
  ...COMMON,
  name: 'ark/video',
  endpoint: 'video',
  kind: 'video',
  synchronous: false,
  model: 'seedance-1-0-pro-250528',
  params: { seconds: '5', ratio: '16:9' },
  manyOutputs: false,
  jobId: (n) => `cgt-20261129120000-${n}`,
  route(request) {
    const refusedKey = refusesKey(request);
    if (refusedKey) return refusedKey;
    if (request.method === 'POST' && request.path === '/contents/generations/tasks')
      return { type: 'create' };
    const id = /^\/contents\/generations\/tasks\/([^/]+)$/.exec(request.path)?.[1];
    if (!id) return undefined;
    if (request.method === 'GET') return { type: 'poll', id };
    return request.method === 'DELETE' ? { type: 'cancel', id } : undefined;
  },
  accepted: (id) => ({ json: { id } }),
  job(id, state) {
    const url = state.type === 'succeeded' ? state.urls[0] : undefined;
    return {
      json: {
        id,
        model: 'seedance-1-0-pro-250528',
        status: STATUS[state.type],
        error: errorOf(state),
        created_at: 1_779_348_818,
        ...(state.type === 'succeeded'
          ? {
              content: url ? { video_url: url } : {},
              usage: { completion_tokens: 108_900, total_tokens: 108_900 },
              duration: 5,
            }
          : {}),
      },
    };
  },
  cancelled: () => ({ json: {} }),
};

const images: WireProfile = {
  ...COMMON,
  name: 'ark/images',
  endpoint: 'images',
  kind: 'image',
  synchronous: true,
  model: 'seedream-4-0-250828',
  params: { size: '2K' },
  manyOutputs: true,
  jobId: (n) => `image_${n}`,
  route(request) {
    const refusedKey = refusesKey(request);
    if (refusedKey) return refusedKey;
    return request.method === 'POST' && request.path === '/images/generations'
      ? { type: 'create' }
      : undefined;
  },
  accepted: () => ({ json: {} }),
  done: (media) => ({
    json: {
      model: 'seedream-4-0-250828',
      created: 1_768_518_000,
      data: media.map(({ url }) => ({ url, size: '2048x2048' })),
      usage: { generated_images: media.length, output_tokens: 6_240, total_tokens: 6_240 },
    },
  }),
  job: () => ({ json: {} }),
};

/** Volcengine Ark: Seedance tasks and Seedream images. Written from the vendor's documentation. */
export const arkProfiles: readonly WireProfile[] = [video, images];
