import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

/** Replicate by its HTTP API reference: predictions of a model, their listing, and their cancellation. */

const KEY = 'r8_conformance0123456789';
const API = 'https://api.replicate.com/v1';

type Prediction = { id: string; status: string; output?: unknown; error?: string; logs?: string };

function prediction({ id, status, ...more }: Prediction): Record<string, unknown> {
  return {
    id,
    model: 'acme/painter',
    version: 'hidden',
    input: { prompt: 'a cat' },
    logs: '',
    output: null,
    data_removed: false,
    error: null,
    source: 'api',
    status,
    created_at: new Date().toISOString(),
    urls: { get: `${API}/predictions/${id}`, cancel: `${API}/predictions/${id}/cancel` },
    ...more,
  };
}

function stated(id: string, state: JobState, isList: boolean): Prediction {
  switch (state.type) {
    case 'queued':
      return { id, status: 'starting' };
    case 'running':
      return { id, status: 'processing', logs: state.progress === undefined ? '' : `${state.progress}%|###` };
    case 'unknown':
      return { id, status: 'hibernating' };
    case 'succeeded':
      return { id, status: 'succeeded', output: isList ? state.urls : state.urls[0] };
    case 'empty':
      return { id, status: 'succeeded', output: isList ? [] : null };
    case 'failed':
      return { id, status: 'failed', error: state.reason ?? 'Prediction failed.' };
    case 'moderated':
      return { id, status: 'failed', error: 'NSFW content detected. Try a different prompt.' };
    case 'cancelled':
      return { id, status: 'canceled' };
  }
}

const problem = (status: number, detail: string, title?: string): WireReply => ({
  status,
  json: { ...(title ? { title } : {}), detail, status },
});

function route(request: WireRequest, model: string): WireRoute | undefined {
  const { method, path, headers } = request;
  if (headers.authorization !== `Bearer ${KEY}`)
    return {
      type: 'other',
      reply: problem(401, 'You did not pass a valid authentication token', 'Unauthenticated'),
    };
  if (method === 'POST' && path === `/models/${model}/predictions`) return { type: 'create' };
  if (method === 'GET' && path === '/predictions') return { type: 'lookup' };
  const [, id, cancel] = /^\/predictions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
  if (!id) return undefined;
  if (cancel) return method === 'POST' ? { type: 'cancel', id } : undefined;
  return method === 'GET' ? { type: 'poll', id } : undefined;
}

function profile(
  about: Pick<WireProfile, 'name' | 'endpoint' | 'kind' | 'model' | 'manyOutputs'>,
): WireProfile {
  const isList = about.manyOutputs;
  return {
    ...about,
    protocol: 'replicate',
    synchronous: false,
    basePath: '/v1',
    apiKey: KEY,
    jobId: (n) => `gm3qorzdhgbfurvjtvhg${String(n).padStart(6, '0')}`,
    route: (request) => route(request, about.model),
    accepted: (id) => ({ status: 201, json: prediction({ id, status: 'starting' }) }),
    rejected: problem(422, '- input.prompt: must not be empty', 'Input validation failed'),
    accountRejected: problem(
      402,
      'You have insufficient credit to run this model. Go to https://replicate.com/account/billing',
      'Insufficient credit',
    ),
    rateLimited: problem(429, 'Request was throttled. Your rate limit resets in ~7s.'),
    noId: { status: 201, json: { status: 'starting', output: null } },
    job: (id, state) => ({ json: prediction(stated(id, state, isList)) }),
    missing: () => problem(404, 'The requested resource could not be found.'),
    cancelled: (id) => ({ json: prediction({ id, status: 'canceled' }) }),
    lookup: (job) => {
      const sent = (job?.createRequest.json ?? {}) as { input?: unknown; webhook?: unknown };
      const results = job
        ? [{ ...prediction({ id: job.id, status: 'processing' }), input: sent.input, webhook: sent.webhook }]
        : [];
      return { json: { previous: null, next: null, results } };
    },
  };
}

export const replicateProfiles: readonly WireProfile[] = [
  profile({
    name: 'replicate/image',
    endpoint: 'image',
    kind: 'image',
    model: 'acme/painter',
    manyOutputs: true,
  }),
  profile({
    name: 'replicate/video',
    endpoint: 'video',
    kind: 'video',
    model: 'acme/filmer',
    manyOutputs: false,
  }),
];
