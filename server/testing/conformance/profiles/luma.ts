import { asRecord } from '#server/providers/json.ts';
import type { JobState, WireProfile, WireReply } from '../wire-profile.ts';

const API_KEY = 'luma-conformance-0123456789abcdef';

const fault = (status: number, detail: unknown): WireReply => ({ status, json: { detail } });

/** Luma documents four states; `polishing` and `cancelled` are words that it might yet learn. */
const STATES: Readonly<Record<JobState['type'], string>> = {
  queued: 'queued',
  running: 'dreaming',
  unknown: 'polishing',
  succeeded: 'completed',
  empty: 'completed',
  failed: 'failed',
  moderated: 'failed',
  cancelled: 'cancelled',
};

function reasonOf(state: JobState): string | null {
  if (state.type === 'moderated') return 'The generation did not pass moderation.';
  return state.type === 'failed' ? (state.reason ?? 'Out of memory') : null;
}

function generation(id: string, state: JobState, kind: 'video' | 'image', callbackUrl?: unknown) {
  return {
    id,
    generation_type: kind,
    state: STATES[state.type],
    failure_reason: reasonOf(state),
    created_at: new Date().toISOString(),
    assets: state.type === 'succeeded' ? { [kind]: state.urls[0] } : null,
    model: kind === 'video' ? 'ray-2' : 'photon-1',
    request: { generation_type: kind, prompt: 'a cat', callback_url: callbackUrl ?? null },
  };
}

function profile(kind: 'video' | 'image'): WireProfile {
  const createPath = kind === 'video' ? '/generations' : '/generations/image';
  return {
    name: `luma/${kind}`,
    protocol: 'luma',
    endpoint: kind,
    kind,
    synchronous: false,
    basePath: '/dream-machine/v1',
    apiKey: API_KEY,
    model: kind === 'video' ? 'ray-2' : 'photon-1',
    params: kind === 'video' ? { seconds: '5', aspect_ratio: '16:9' } : { aspect_ratio: '16:9' },
    manyOutputs: false,
    jobId: (n) => `ab8e4b51-9b7c-4b9f-9d1a-${String(n).padStart(12, '0')}`,
    route(request) {
      if (request.headers.authorization !== `Bearer ${API_KEY}`)
        return { type: 'other', reply: fault(403, 'Not authenticated') };
      if (request.method === 'POST' && request.path === createPath) return { type: 'create' };
      if (request.method !== 'GET') return undefined;
      if (request.path === '/generations') return { type: 'lookup' };
      const id = /^\/generations\/([^/]+)$/.exec(request.path)?.[1];
      return id ? { type: 'poll', id } : undefined;
    },
    accepted: (id) => ({ status: 201, json: generation(id, { type: 'queued' }, kind) }),
    rejected: fault(422, [
      { loc: ['body', 'aspect_ratio'], msg: 'Input should be one of 16:9, 9:16', type: 'literal_error' },
    ]),
    accountRejected: fault(400, 'Insufficient credits'),
    rateLimited: { ...fault(429, 'Rate limit exceeded'), headers: { 'retry-after': '7' } },
    noId: { status: 201, json: { state: 'queued' } },
    job: (id, state) => ({ json: generation(id, state, kind) }),
    missing: () => fault(404, 'Generation not found'),
    lookup(job) {
      const callbackUrl = asRecord(job?.createRequest.json)?.callback_url;
      const generations = job ? [generation(job.id, { type: 'running' }, kind, callbackUrl)] : [];
      return { json: { generations, has_more: false, count: generations.length, limit: 100, offset: 0 } };
    },
  };
}

export const lumaProfiles: readonly WireProfile[] = [profile('video'), profile('image')];
