import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

const API_KEY = 'sk-dashscope-conformance-0123456789';

const refused = (status: number, code: string, message: string): WireReply => ({
  status,
  json: { code, message, request_id: 'a4d78a5f-655f-9639-8437-1' },
});

function refusesKey(request: WireRequest): WireRoute | undefined {
  return request.headers.authorization === `Bearer ${API_KEY}`
    ? undefined
    : { type: 'other', reply: refused(401, 'InvalidApiKey', 'Invalid API-key provided.') };
}

const STATUS: Readonly<Record<JobState['type'], string>> = {
  queued: 'PENDING',
  running: 'RUNNING',
  unknown: 'PREHEATING',
  succeeded: 'SUCCEEDED',
  empty: 'SUCCEEDED',
  failed: 'FAILED',
  moderated: 'FAILED',
  cancelled: 'CANCELED',
};

function errorOf(state: JobState): object {
  if (state.type === 'moderated')
    return { code: 'DataInspectionFailed', message: 'Output data may contain inappropriate content.' };
  return state.type === 'failed' ? { code: 'InternalError', message: state.reason ?? 'It failed.' } : {};
}

/** Every state, the bad ones too, comes with HTTP 200. */
const task = (id: string, state: JobState, more: object, usage: object): WireReply => ({
  json: {
    request_id: 'f767d108-7d50-908b-a6d9-1',
    output: { task_id: id, task_status: STATUS[state.type], ...errorOf(state), ...more },
    ...(state.type === 'succeeded' ? { usage } : {}),
  },
});

function routeOf(request: WireRequest, creates: string): WireRoute | undefined {
  const refusedKey = refusesKey(request);
  if (refusedKey) return refusedKey;
  if (request.method === 'POST' && request.path === creates) {
    if (request.headers['x-dashscope-async'] === 'enable') return { type: 'create' };
    const message = 'current user api does not support synchronous calls.';
    return { type: 'other', reply: refused(403, 'AccessDenied', message) };
  }
  const [, id, verb] = /^\/tasks\/([^/]+)(\/cancel)?$/.exec(request.path) ?? [];
  if (!id) return undefined;
  if (request.method === 'GET' && !verb) return { type: 'poll', id };
  return request.method === 'POST' && verb ? { type: 'cancel', id } : undefined;
}

const COMMON = {
  protocol: 'dashscope',
  apiKey: API_KEY,
  basePath: '/api/v1',
  synchronous: false,
  jobId: (n) => `0385dc79-5ff8-4d82-bcb6-${String(n).padStart(12, '0')}`,
  accepted: (id) => ({
    json: { output: { task_status: 'PENDING', task_id: id }, request_id: '4909100c-7b5a-9f92-bfe5-1' },
  }),
  rejected: refused(400, 'InvalidParameter', 'The size is not in the list.'),
  accountRejected: refused(
    400,
    'Arrearage',
    'Access denied, please make sure your account is in good standing.',
  ),
  rateLimited: {
    ...refused(429, 'Throttling.RateQuota', 'Requests rate limit exceeded, please try again later.'),
    headers: { 'retry-after': '7' },
  },
  noId: { json: { request_id: '4909100c-7b5a-9f92-bfe5-1', output: {} } },
  missing: (id) => ({ json: { request_id: 'r', output: { task_id: id, task_status: 'UNKNOWN' } } }),
  cancelled: () => ({ json: { request_id: '45ac7f13-0d4c-9e1a-8a4d-1' } }),
} satisfies Partial<WireProfile>;

const video: WireProfile = {
  ...COMMON,
  name: 'dashscope/video',
  endpoint: 'video',
  kind: 'video',
  model: 'wan2.6-t2v',
  params: { seconds: '5', size: '1280x720' },
  manyOutputs: false,
  route: (request) => routeOf(request, '/services/aigc/video-generation/video-synthesis'),
  job(id, state) {
    const url = state.type === 'succeeded' ? state.urls[0] : undefined;
    const usage = { duration: 5, output_video_duration: 5, video_count: 1, SR: 720 };
    return task(id, state, url ? { video_url: url } : {}, usage);
  },
};

const image: WireProfile = {
  ...COMMON,
  name: 'dashscope/image',
  endpoint: 'image',
  kind: 'image',
  model: 'wan2.5-t2i-preview',
  params: { size: '1280x1280' },
  manyOutputs: true,
  route: (request) => routeOf(request, '/services/aigc/text2image/image-synthesis'),
  job(id, state) {
    const urls = state.type === 'succeeded' ? state.urls : [];
    const results = urls.map((url) =>
      url === null ? { code: 'InternalError.Timeout', message: 'An internal timeout error.' } : { url },
    );
    const made = urls.filter((url) => url !== null).length;
    return task(id, state, urls.length > 0 ? { results } : {}, { image_count: made });
  },
};

/** Alibaba Cloud Model Studio: Wan videos and images. Written from the vendor's documentation. */
export const dashscopeProfiles: readonly WireProfile[] = [video, image];
