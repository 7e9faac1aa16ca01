import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

const API_KEY = 'minimax-conformance-0123456789';
const JSON_TYPE = { 'content-type': 'application/json' };

/** The first version answers everything with HTTP 200. */
const coded = (status_code: number, status_msg: string, more: object = {}): WireReply => ({
  json: { ...more, base_resp: { status_code, status_msg } },
});

/** The second version uses HTTP statuses, with the number at the end of the sentence. */
const refused = (status: number, type: string, message: string): WireReply => ({
  status,
  json: { type: 'error', error: { type, message, http_code: String(status) }, request_id: '0217852' },
});

function refusesKey(request: WireRequest): WireRoute | undefined {
  return request.headers.authorization === `Bearer ${API_KEY}`
    ? undefined
    : { type: 'other', reply: coded(2_049, 'invalid api key') };
}

const STATUS: Readonly<Record<JobState['type'], string>> = {
  queued: 'Queueing',
  running: 'Processing',
  unknown: 'Polishing',
  succeeded: 'Success',
  empty: 'Success',
  failed: 'Fail',
  moderated: 'Fail',
  cancelled: 'Cancelled',
};

/** File ids are longer than a double holds, and derive from the job so that the third hop can name it. */
const fileIdOf = (id: string) => `${id}55`;

const FIRST_VERSION = {
  protocol: 'minimax',
  apiKey: API_KEY,
  basePath: '',
  rejected: coded(2_013, 'invalid params'),
  accountRejected: coded(1_008, 'insufficient balance'),
  rateLimited: { ...coded(1_002, 'rate limit'), headers: { 'retry-after': '7' } },
  noId: coded(0, 'success'),
} satisfies Partial<WireProfile>;

const video: WireProfile = {
  ...FIRST_VERSION,
  name: 'minimax/video',
  endpoint: 'video',
  kind: 'video',
  synchronous: false,
  model: 'MiniMax-Hailuo-02',
  params: { seconds: '6', resolution: '768P' },
  manyOutputs: false,
  jobId: (n) => String(9_007_199_254_740_993n + BigInt(n)),
  route(request) {
    const refusedKey = refusesKey(request);
    if (refusedKey) return refusedKey;
    if (request.method === 'POST') {
      return request.path === '/v1/video_generation' ? { type: 'create' } : undefined;
    }
    const task = request.query.get('task_id');
    if (request.path === '/v1/query/video_generation' && task) return { type: 'poll', id: task };
    const file = request.query.get('file_id');
    if (request.path === '/v1/files/retrieve' && file) return { type: 'result', id: file.slice(0, -2) };
    return undefined;
  },
  // A number, as some replies of this vendor have it.
  accepted: (id) => ({
    text: `{"task_id":${id},"base_resp":{"status_code":0,"status_msg":"success"}}`,
    headers: JSON_TYPE,
  }),
  job(id, state) {
    const reply = state.type === 'moderated' ? [1_027, 'output sensitive'] : [0, 'success'];
    const fileId = state.type === 'succeeded' ? fileIdOf(id) : '""';
    return {
      text: `{"task_id":"${id}","status":"${STATUS[state.type]}","file_id":${fileId},"base_resp":${JSON.stringify(
        { status_code: reply[0], status_msg: reply[1] },
      )}}`,
      headers: JSON_TYPE,
    };
  },
  result(id, state) {
    const url = state.type === 'succeeded' ? state.urls[0] : undefined;
    const file = {
      file_id: fileIdOf(id),
      bytes: 1,
      filename: 'output.mp4',
      ...(url ? { download_url: url } : {}),
    };
    return coded(0, 'success', { file });
  },
  missing: () => ({ status: 404, json: { base_resp: { status_code: 2_013, status_msg: 'no such task' } } }),
};

const SECOND_STATUS: Readonly<Record<JobState['type'], string>> = {
  queued: 'queued',
  running: 'running',
  unknown: 'polishing',
  succeeded: 'succeeded',
  empty: 'succeeded',
  failed: 'failed',
  moderated: 'failed',
  cancelled: 'cancelled',
};

function errorOf(state: JobState): object | null {
  if (state.type === 'moderated') return { code: '1027', message: 'output content is sensitive content' };
  return state.type === 'failed' ? { code: '1000', message: state.reason ?? 'unknown error' } : null;
}

const h3: WireProfile = {
  protocol: 'minimax',
  apiKey: API_KEY,
  basePath: '',
  name: 'minimax/video-h3',
  endpoint: 'video',
  kind: 'video',
  synchronous: false,
  model: 'MiniMax-H3',
  params: { seconds: '5', ratio: '16:9' },
  manyOutputs: false,
  jobId: (n) => String(424_010_985_738_629 + n),
  route(request) {
    const refusedKey = refusesKey(request);
    if (refusedKey) return refusedKey;
    if (request.method === 'POST' && request.path === '/v2/video_generation') return { type: 'create' };
    const polled = /^\/v2\/query\/video_generation\/([^/]+)$/.exec(request.path)?.[1];
    if (request.method === 'GET' && polled) return { type: 'poll', id: polled };
    const cancelled = /^\/v2\/video_generation\/([^/]+)$/.exec(request.path)?.[1];
    return request.method === 'DELETE' && cancelled ? { type: 'cancel', id: cancelled } : undefined;
  },
  accepted: (id) => ({ json: { task_id: id } }),
  rejected: refused(400, 'bad_request_error', 'invalid params (2013)'),
  accountRejected: refused(402, 'insufficient_balance_error', 'insufficient balance (1008)'),
  rateLimited: {
    ...refused(429, 'rate_limit_error', 'rate limit, please retry later (1002)'),
    headers: { 'retry-after': '7' },
  },
  noId: { json: {} },
  job(id, state) {
    const url = state.type === 'succeeded' ? state.urls[0] : undefined;
    const task = {
      id,
      model: 'MiniMax-H3',
      status: SECOND_STATUS[state.type],
      error: errorOf(state),
      ...(url ? { content: { url }, duration: 5 } : {}),
    };
    return { json: { task } };
  },
  missing: () => refused(404, 'not_found_error', 'task not found'),
  cancelled: (id) => ({ json: { task_id: id, action: 'cancelled' } }),
};

const speech: WireProfile = {
  ...FIRST_VERSION,
  name: 'minimax/speech',
  endpoint: 'speech',
  kind: 'audio',
  synchronous: true,
  model: 'speech-2.8-hd',
  params: { voice: 'English_Graceful_Lady', format: 'mp3' },
  manyOutputs: false,
  jobId: (n) => `speech_${n}`,
  route(request) {
    const refusedKey = refusesKey(request);
    if (refusedKey) return refusedKey;
    return request.method === 'POST' && request.path === '/v1/t2a_v2' ? { type: 'create' } : undefined;
  },
  accepted: () => coded(0, 'success'),
  done: (media) =>
    coded(0, 'success', {
      data: { audio: Buffer.from(media[0]?.bytes ?? []).toString('hex'), status: 2 },
      extra_info: { audio_length: 1_000, audio_format: 'mp3' },
      trace_id: '01b8bf9bb7433cc75c18eee6cfa8fe21',
    }),
  job: () => coded(0, 'success'),
  missing: () => ({ status: 404, json: {} }),
};

/** MiniMax: both versions of the video API, and speech. Written from the vendor's documentation. */
export const minimaxProfiles: readonly WireProfile[] = [video, h3, speech];
