import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

/** fal's queue by its API reference: the status and the result of a request are asked for apart. */

const KEY = 'conformance-id:conformance-secret';
const APPLICATION = '/acme/painter';

function addresses(id: string): Record<string, string> {
  const url = `https://queue.fal.run${APPLICATION}/requests/${id}`;
  return { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
}

const sentence = (status: number, detail: string, errorType?: string): WireReply => ({
  status,
  json: { detail, ...(errorType ? { error_type: errorType } : {}) },
  headers: errorType ? { 'x-fal-error-type': errorType } : undefined,
});

const problem = (type: string, msg: string): WireReply => ({
  status: 422,
  json: {
    detail: [{ loc: ['body', 'prompt'], msg, type, url: `https://docs.fal.ai/errors#${type}`, input: '' }],
  },
  headers: { 'x-fal-retryable': 'false' },
});

function route({ method, path, headers }: WireRequest): WireRoute | undefined {
  if (headers.authorization !== `Key ${KEY}`)
    return {
      type: 'other',
      reply: sentence(401, 'Authentication is required to access this application.'),
    };
  if (method === 'POST' && path === `${APPLICATION}/fast`) return { type: 'create' };
  const [, id, what] = /^\/acme\/painter\/requests\/([^/]+)(\/status|\/cancel)?$/.exec(path) ?? [];
  if (!id) return undefined;
  if (what === '/cancel') return method === 'PUT' ? { type: 'cancel', id } : undefined;
  if (method !== 'GET') return undefined;
  return what === '/status' ? { type: 'poll', id } : { type: 'result', id };
}

function status(id: string, state: JobState): WireReply {
  const about = { request_id: id, ...addresses(id) };
  switch (state.type) {
    case 'queued':
      return { status: 202, json: { status: 'IN_QUEUE', ...about, queue_position: 0 } };
    case 'running':
      return { status: 202, json: { status: 'IN_PROGRESS', ...about, logs: [] } };
    case 'unknown':
      return { status: 202, json: { status: 'WARMING_UP', ...about } };
    default:
      return { json: { status: 'COMPLETED', ...about, logs: [], metrics: { inference_time: 3.7 } } };
  }
}

function result(state: JobState, kind: 'image' | 'video'): WireReply {
  switch (state.type) {
    case 'succeeded': {
      const files = state.urls.map((url) => url && { url, content_type: `${kind}/x`, file_size: 1 });
      const hasNsfw = state.urls.map(() => false);
      return {
        json: kind === 'image' ? { images: files, seed: 1, has_nsfw_concepts: hasNsfw } : { video: files[0] },
      };
    }
    case 'empty':
      return { json: kind === 'image' ? { images: [], seed: 1 } : { video: null } };
    case 'failed':
      return problem('image_load_error', state.reason ?? 'The image could not be loaded.');
    case 'moderated':
      return problem('content_policy_violation', 'The content was flagged by a content checker.');
    case 'cancelled':
      return sentence(499, 'Request was cancelled', 'client_cancelled');
    default:
      return sentence(400, 'Request is still in progress');
  }
}

function profile(kind: 'image' | 'video'): WireProfile {
  return {
    name: `fal/${kind}`,
    protocol: 'fal',
    endpoint: kind,
    kind,
    synchronous: false,
    basePath: '',
    apiKey: KEY,
    model: 'acme/painter/fast',
    manyOutputs: kind === 'image',
    jobId: (n) => `024ca5b1-45d3-4afd-883e-${String(n).padStart(12, '0')}`,
    route,
    accepted: (id) => ({
      json: {
        status: 'IN_QUEUE',
        request_id: id,
        gateway_request_id: id,
        ...addresses(id),
        queue_position: 0,
      },
    }),
    rejected: problem('missing', 'Field required'),
    accountRejected: sentence(403, 'User is locked. Reason: Exhausted balance. Top up your balance.'),
    rateLimited: { ...sentence(429, 'Too many requests'), headers: { 'retry-after': '7' } },
    noId: { json: { status: 'IN_QUEUE', queue_position: 0 } },
    job: status,
    result: (_id, state) => result(state, kind),
    missing: (id) => sentence(404, `Request ${id} not found`),
    cancelled: () => ({ status: 202, json: { status: 'CANCELLATION_REQUESTED' } }),
  };
}

export const falProfiles: readonly WireProfile[] = [profile('image'), profile('video')];
