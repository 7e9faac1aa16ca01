import { DIRECT, STUDIO } from '#server/providers/custom/testing/descriptions.ts';
import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

/** Two invented vendors that an administrator has described: jobs with polling, and an answer that is the result. */
const API_KEY = 'studio-conformance-0123456789';

const PHASES: Readonly<Record<JobState['type'], string>> = {
  queued: 'waiting',
  running: 'painting',
  unknown: 'varnishing',
  succeeded: 'ready',
  empty: 'ready',
  failed: 'broken',
  moderated: 'broken',
  cancelled: 'stopped',
};

const refusal = (status: number, kind: string, text: string): WireReply => ({
  status,
  json: { problem: { kind, text } },
});

function problemOf(state: JobState): object | undefined {
  if (state.type === 'moderated') return { kind: 'content_policy', text: 'This may not be painted.' };
  return state.type === 'failed' ? { kind: 'brush', text: state.reason ?? 'The brush broke.' } : undefined;
}

function routeOfStudio(request: WireRequest): WireRoute | undefined {
  if (request.headers['x-studio-key'] !== API_KEY)
    return { type: 'other', reply: refusal(401, 'key', 'This key is not known.') };
  if (request.method === 'POST' && request.path === '/renders') return { type: 'create' };
  if (request.path === '/ping') return { type: 'other', reply: { text: 'pong' } };
  const [, place, id] = /^\/(renders|refs)\/([^/]+)$/.exec(request.path) ?? [];
  if (id === undefined) return undefined;
  if (place === 'refs') return { type: 'lookup', clientRef: decodeURIComponent(id) };
  if (request.method === 'DELETE') return { type: 'cancel', id: decodeURIComponent(id) };
  return request.method === 'GET' ? { type: 'poll', id: decodeURIComponent(id) } : undefined;
}

const studio: WireProfile = {
  name: 'custom/image',
  protocol: 'custom',
  endpoint: 'image',
  kind: 'image',
  synchronous: false,
  basePath: '/studio',
  apiKey: API_KEY,
  settings: STUDIO,
  model: 'oil-on-canvas',
  params: { size: '1:1' },
  manyOutputs: true,
  jobId: (n) => `9${String(n).padStart(18, '0')}`,
  route: routeOfStudio,
  accepted: (id) => ({ json: { ticket: { no: id } } }),
  rejected: refusal(422, 'size', 'This size is not painted.'),
  accountRejected: refusal(402, 'insufficient_balance', 'The purse is empty.'),
  rateLimited: { status: 429, json: { problem: { text: 'One brush at a time.' }, render: { wait: '7s' } } },
  noId: { json: { ticket: {} } },
  job: (_id, state) => ({
    json: {
      render: {
        phase: PHASES[state.type],
        percent: state.type === 'running' ? state.progress : undefined,
        files: state.type === 'succeeded' ? state.urls.map((href) => ({ href })) : [],
        problem: problemOf(state),
      },
    },
  }),
  missing: () => refusal(404, 'render', 'There is no such render.'),
  cancelled: () => ({ json: { render: { phase: 'stopped' } } }),
  lookup: (job) =>
    job
      ? { json: { render: { no: job.id, phase: 'waiting' } } }
      : refusal(404, 'ref', 'There is no such render.'),
};

const direct: WireProfile = {
  name: 'custom/image-direct',
  protocol: 'custom',
  endpoint: 'image',
  kind: 'image',
  synchronous: true,
  basePath: '/v2',
  apiKey: API_KEY,
  settings: DIRECT,
  model: 'quick',
  manyOutputs: true,
  jobId: (n) => String(n),
  route(request) {
    if (request.headers.authorization !== `Bearer ${API_KEY}`)
      return { type: 'other', reply: { status: 401, json: { what: 'key', why: 'This key is not known.' } } };
    return request.method === 'POST' && request.path === '/paint/quick' ? { type: 'create' } : undefined;
  },
  accepted: () => ({ json: {} }),
  done: (media) => ({
    json: { pictures: media.map(({ bytes }) => ({ data: Buffer.from(bytes).toString('base64') })) },
  }),
  rejected: { status: 400, json: { what: 'size', why: 'This size is not painted.' } },
  accountRejected: { status: 403, json: { what: 'plan', why: 'This plan has no pictures.' } },
  rateLimited: { status: 429, json: { what: 'busy', why: 'Too many.' }, headers: { 'retry-after': '7' } },
  noId: { json: { pictures: [] } },
  job: () => ({ json: {} }),
  missing: () => ({ status: 404, json: {} }),
};

export const customProfiles: readonly WireProfile[] = [studio, direct];
