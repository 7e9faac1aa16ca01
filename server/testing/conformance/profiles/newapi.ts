import { asRecord } from '#server/providers/json.ts';
import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

const API_KEY = 'sk-conformance-0123456789abcdef';

/** Errors of the gateway's task routes. */
const taskFailure = (status: number, code: string, message: string): WireReply => ({
  status,
  json: { code, message, data: null },
});

/** Errors of the gateway's Midjourney routes: the code proper is a number, and the words have a space at their end. */
const drawFailure = (status: number, code: number, description: string): WireReply => ({
  status,
  json: { description: `${description} `, type: 'upstream_error', code },
});

function refusesKey(request: WireRequest): WireRoute | undefined {
  if (request.headers.authorization === `Bearer ${API_KEY}`) return undefined;
  const error = { message: '无效的令牌 (request id: 1)', type: 'new_api_error', param: '', code: '' };
  return { type: 'other', reply: { status: 401, json: { error } } };
}

/** The word that the gateway has for each state; what it does not know is `UNKNOWN`. */
const STATUS: Readonly<Record<JobState['type'], string>> = {
  queued: 'QUEUED',
  running: 'IN_PROGRESS',
  unknown: 'UNKNOWN',
  succeeded: 'SUCCESS',
  empty: 'SUCCESS',
  failed: 'FAILURE',
  moderated: 'FAILURE',
  cancelled: 'CANCEL',
};

const progressOf = (state: JobState): string =>
  state.type === 'running' ? `${state.progress ?? 30}%` : state.type === 'queued' ? '0%' : '100%';

function reasonOf(state: JobState): string {
  if (state.type === 'moderated') return 'Rejected by the content policy of the vendor.';
  return state.type === 'failed' ? (state.reason ?? 'It broke.') : '';
}

const task = (id: string, state: JobState, more: object = {}): WireReply => ({
  json: {
    code: 'success',
    message: '',
    data: {
      id: 17,
      task_id: id,
      platform: '50',
      status: STATUS[state.type],
      fail_reason: reasonOf(state),
      submit_time: 1,
      progress: progressOf(state),
      ...more,
    },
  },
});

const COMMON = {
  protocol: 'newapi',
  apiKey: API_KEY,
  synchronous: false,
  rejected: taskFailure(400, 'invalid_request', 'prompt is required'),
  accountRejected: taskFailure(403, 'quota_not_enough', 'user quota is not enough'),
  rateLimited: {
    ...taskFailure(429, 'rate_limit_exceeded', '当前分组上游负载已饱和，请稍后再试'),
    headers: { 'retry-after': '7' },
  },
  noId: { json: { code: 'success', message: '', data: null } },
  missing: () => taskFailure(400, 'task_not_exist', 'task_not_exist'),
} satisfies Partial<WireProfile>;

const video: WireProfile = {
  ...COMMON,
  name: 'newapi/video',
  endpoint: 'video',
  kind: 'video',
  basePath: '/v1',
  model: 'kling-v2-1',
  params: { seconds: '5', size: '1280x720' },
  manyOutputs: false,
  jobId: (n) => `task_${n}`,
  route(request) {
    const refused = refusesKey(request);
    if (refused) return refused;
    if (request.method === 'POST' && request.path === '/video/generations') return { type: 'create' };
    const id = /^\/video\/generations\/([^/]+)$/.exec(request.path)?.[1];
    return request.method === 'GET' && id ? { type: 'poll', id: decodeURIComponent(id) } : undefined;
  },
  accepted: (id) => ({
    json: { id, task_id: id, object: 'video', status: 'queued', progress: 0, created_at: 1 },
  }),
  job: (id, state) => task(id, state, state.type === 'succeeded' ? { result_url: state.urls[0] } : {}),
};

const suno: WireProfile = {
  ...COMMON,
  name: 'newapi/suno',
  endpoint: 'suno',
  kind: 'audio',
  basePath: '',
  model: 'chirp-v4',
  manyOutputs: false,
  jobId: (n) => `0f9e2c1a-0000-4000-8000-${String(n).padStart(12, '0')}`,
  route(request) {
    const refused = refusesKey(request);
    if (refused) return refused;
    if (request.method === 'POST' && request.path === '/suno/submit/music') return { type: 'create' };
    const id = /^\/suno\/fetch\/([^/]+)$/.exec(request.path)?.[1];
    return request.method === 'GET' && id ? { type: 'poll', id: decodeURIComponent(id) } : undefined;
  },
  accepted: (id) => ({ json: { code: 'success', message: '', data: id } }),
  job: (id, state) =>
    task(id, state, {
      data: (state.type === 'succeeded' ? state.urls : []).map((url, index) => ({
        id: `clip_${index}`,
        audio_url: url ?? '',
        video_url: '',
        image_url: '',
        status: url === null ? 'error' : 'complete',
        title: 'A song',
        metadata: { duration: 12, error_type: null, error_message: null },
      })),
    }),
};

const midjourney: WireProfile = {
  ...COMMON,
  name: 'newapi/midjourney',
  endpoint: 'midjourney',
  kind: 'image',
  basePath: '',
  model: 'mj_imagine',
  manyOutputs: false,
  jobId: (n) => String(1_712_000_000_000_000 + n),
  route(request) {
    const refused = refusesKey(request);
    if (refused) return refused;
    if (request.method === 'POST' && request.path === '/mj/submit/imagine') return { type: 'create' };
    if (request.method === 'POST' && request.path === '/mj/task/list-by-condition') {
      const state = asRecord(request.json)?.state;
      return { type: 'lookup', clientRef: typeof state === 'string' ? state : undefined };
    }
    const [, id, verb] = /^\/mj\/task\/([^/]+)\/(fetch|cancel)$/.exec(request.path) ?? [];
    if (!id) return undefined;
    if (request.method === 'GET' && verb === 'fetch') return { type: 'poll', id };
    return request.method === 'POST' && verb === 'cancel' ? { type: 'cancel', id } : undefined;
  },
  accepted: (id) => ({ json: { code: 1, description: '提交成功', result: id, properties: {} } }),
  rejected: { json: { code: 4, description: 'prompt error', result: '' } },
  accountRejected: drawFailure(400, 4, 'quota_not_enough'),
  rateLimited: { json: { code: 23, description: '队列已满，请稍后尝试', result: '14001929738841620' } },
  noId: { json: { code: 1, description: '提交成功', result: '' } },
  job: (id, state) => ({
    json: {
      id,
      action: 'IMAGINE',
      status: STATUS[state.type],
      progress: progressOf(state),
      imageUrl: state.type === 'succeeded' ? (state.urls[0] ?? '') : '',
      failReason: reasonOf(state),
      state: '',
    },
  }),
  missing: () => drawFailure(400, 4, 'task_no_found'),
  cancelled: () => ({ json: { code: 1, description: 'ok', result: '' } }),
  lookup: (job) => ({
    json: job ? [{ id: job.id, action: 'IMAGINE', status: 'IN_PROGRESS', state: job.clientRef }] : [],
  }),
};

/** The unified task route, two clips of one task, and a route whose verdicts hide in codes. */
export const newapiProfiles: readonly WireProfile[] = [video, suno, midjourney];
