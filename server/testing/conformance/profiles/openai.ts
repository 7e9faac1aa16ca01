import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

const API_KEY = 'sk-conformance-0123456789abcdef';

/** The error object of the vendor's documentation. */
const failure = (status: number, code: string, message: string): WireReply => ({
  status,
  json: { error: { message, type: 'invalid_request_error', param: null, code } },
});

const COMMON = {
  protocol: 'openai',
  basePath: '/v1',
  apiKey: API_KEY,
  rejected: failure(400, 'invalid_value', "Invalid value for 'size'."),
  accountRejected: failure(429, 'insufficient_quota', 'You exceeded your current quota.'),
  rateLimited: {
    ...failure(429, 'rate_limit_exceeded', 'Rate limit reached.'),
    headers: { 'retry-after': '7' },
  },
} satisfies Partial<WireProfile>;

const refusesKey = (request: WireRequest): WireRoute | undefined =>
  request.headers.authorization === `Bearer ${API_KEY}`
    ? undefined
    : { type: 'other', reply: failure(401, 'invalid_api_key', 'Incorrect API key provided.') };

/** Routes of one resource: `POST /path`, `GET /path/{id}`, `POST /path/{id}/cancel`. */
function routes(path: string, request: WireRequest): WireRoute | undefined {
  const refused = refusesKey(request);
  if (refused) return refused;
  if (request.method === 'POST' && request.path === path) return { type: 'create' };
  const [, id, rest] = new RegExp(`^${path}/([^/]+)(/cancel|/content)?$`).exec(request.path) ?? [];
  if (!id) return undefined;
  if (request.method === 'GET' && rest === undefined) return { type: 'poll', id: decodeURIComponent(id) };
  if (request.method === 'POST' && rest === '/cancel') return { type: 'cancel', id: decodeURIComponent(id) };
  return undefined;
}

const synchronous = {
  ...COMMON,
  synchronous: true,
  jobId: (n: number) => `unused_${n}`,
  accepted: () => ({ status: 500 }),
  job: () => ({ status: 404 }),
  missing: () => ({ status: 404 }),
} satisfies Partial<WireProfile>;

const images: WireProfile = {
  ...synchronous,
  name: 'openai/images',
  endpoint: 'images',
  kind: 'image',
  model: 'gpt-image-1',
  manyOutputs: true,
  route: (request) => routes('/images/generations', request),
  done: (media) => ({
    json: {
      created: 1,
      data: media.map(({ bytes }) => ({ b64_json: Buffer.from(bytes).toString('base64') })),
    },
  }),
  noId: { json: { created: 1, data: [] } },
};

const speech: WireProfile = {
  ...synchronous,
  name: 'openai/speech',
  endpoint: 'speech',
  kind: 'audio',
  model: 'tts-1',
  params: { voice: 'alloy' },
  manyOutputs: false,
  route: (request) => routes('/audio/speech', request),
  done: ([first]) => ({ bytes: first?.bytes, headers: { 'content-type': first?.mime ?? 'audio/mpeg' } }),
  noId: { text: '', headers: { 'content-type': 'audio/mpeg' } },
};

function videoObject(id: string, state: JobState): object {
  const base = {
    id,
    object: 'video',
    created_at: 1,
    model: 'sora-2',
    seconds: '8',
    size: '1280x720',
    error: null,
  };
  switch (state.type) {
    case 'queued':
      return { ...base, status: 'queued', progress: 0 };
    case 'running':
      return { ...base, status: 'in_progress', progress: state.progress ?? 10 };
    case 'unknown':
      return { ...base, status: 'post_processing', progress: 90 };
    case 'succeeded':
      return { ...base, status: 'completed', progress: 100, metadata: { url: state.urls[0] } };
    case 'empty':
      return { ...base, status: 'completed', progress: 100 };
    case 'failed':
      return {
        ...base,
        status: 'failed',
        error: { code: 'server_error', message: state.reason ?? 'It broke.' },
      };
    case 'moderated': {
      const error = { code: 'moderation_blocked', message: 'Blocked by our moderation system.' };
      return { ...base, status: 'failed', error };
    }
    case 'cancelled':
      return { ...base, status: 'cancelled' };
  }
}

const videos: WireProfile = {
  ...COMMON,
  name: 'openai/videos',
  endpoint: 'videos',
  kind: 'video',
  synchronous: false,
  model: 'sora-2',
  params: { seconds: '8' },
  manyOutputs: false,
  jobId: (n) => `video_${n}`,
  route: (request) => routes('/videos', request),
  accepted: (id) => ({ json: videoObject(id, { type: 'queued' }) }),
  noId: { json: { object: 'video', status: 'queued' } },
  job: (id, state) => ({ json: videoObject(id, state) }),
  missing: (id) => failure(404, 'not_found', `Video ${id} not found.`),
};

function responseObject(id: string, state: JobState): object {
  const base = { id, object: 'response', created_at: 1, model: 'gpt-5-mini', error: null, output: [] };
  const message = (text: string) => [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
  ];
  switch (state.type) {
    case 'queued':
      return { ...base, status: 'queued' };
    case 'running':
      return { ...base, status: 'in_progress' };
    case 'unknown':
      return { ...base, status: 'thinking' };
    case 'succeeded': {
      const texts = state.urls.filter((url) => url !== null);
      const usage = { input_tokens: 3, output_tokens: 5, total_tokens: 8 };
      return { ...base, status: 'completed', output: message(texts.join('\n')), usage };
    }
    case 'empty':
      return { ...base, status: 'completed' };
    case 'failed':
      return {
        ...base,
        status: 'failed',
        error: { code: 'server_error', message: state.reason ?? 'It broke.' },
      };
    case 'moderated':
      return { ...base, status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    case 'cancelled':
      return { ...base, status: 'cancelled' };
  }
}

const responses: WireProfile = {
  ...COMMON,
  name: 'openai/responses',
  endpoint: 'responses',
  kind: 'text',
  synchronous: false,
  model: 'gpt-5-mini',
  manyOutputs: false,
  jobId: (n) => `resp_${n}`,
  route: (request) => routes('/responses', request),
  accepted: (id) => ({ json: responseObject(id, { type: 'queued' }) }),
  noId: { json: { object: 'response', status: 'queued' } },
  job: (id, state) => ({ json: responseObject(id, state) }),
  missing: (id) => failure(404, 'not_found', `Response with id '${id}' not found.`),
  cancelled: (id) => ({ json: responseObject(id, { type: 'cancelled' }) }),
};

/** Bytes inside the answer, bytes as the answer, a job with an address, a job with a text. */
export const openaiProfiles: readonly WireProfile[] = [images, speech, videos, responses];
