import type { JobState, WireProfile, WireReply } from '../wire-profile.ts';

const API_KEY = 'key_conformance_0123456789abcdef';
const CREATED_AT = '2026-11-29T10:00:00.000Z';

const fault = (status: number, error: string, more: object = {}): WireReply => ({
  status,
  json: { error, ...more },
});

/** A task, with the fields that each of its states has. */
function task(id: string, state: JobState): WireReply {
  const common = { id, createdAt: CREATED_AT };
  const waiting = { ...common, estimatedCost: { credits: 60 } };
  const ended = { ...common, cost: { credits: 60 } };
  const failed = (failure: string, failureCode: string) => ({
    json: { ...common, cost: { credits: 0 }, status: 'FAILED', failure, failureCode },
  });
  switch (state.type) {
    case 'queued':
      return { json: { ...waiting, status: 'THROTTLED' } };
    case 'running':
      return { json: { ...waiting, status: 'RUNNING', progress: (state.progress ?? 30) / 100 } };
    case 'unknown':
      return { json: { ...waiting, status: 'POLISHING' } };
    case 'succeeded':
      return { json: { ...ended, status: 'SUCCEEDED', output: state.urls } };
    case 'empty':
      return { json: { ...ended, status: 'SUCCEEDED', output: [] } };
    case 'failed':
      return failed(state.reason ?? 'An unexpected error occurred.', 'INTERNAL.BAD_OUTPUT.CODE01');
    case 'moderated':
      return failed('The output did not pass moderation.', 'SAFETY.OUTPUT.VIDEO');
    case 'cancelled':
      return { json: { ...common, cost: { credits: 0 }, status: 'CANCELLED' } };
  }
}

const COMMON = {
  protocol: 'runway',
  basePath: '/v1',
  apiKey: API_KEY,
  synchronous: false,
  jobId: (n: number) => `17f20503-6c24-4c16-946b-${String(n).padStart(12, '0')}`,
  accepted: (id: string) => ({ json: { id, estimatedCost: { credits: 60 } } }),
  rejected: fault(400, 'Validation of body failed', {
    issues: [{ code: 'too_big', path: ['promptText'], message: 'Too long' }],
    docUrl: 'https://docs.example/api',
  }),
  accountRejected: fault(400, 'You do not have enough credits to run this task.'),
  rateLimited: { ...fault(429, 'Too many requests.'), headers: { 'retry-after': '7' } },
  noId: { json: {} },
  job: task,
  missing: () => fault(404, 'No task with that ID could be found.'),
  cancelled: () => ({ status: 204 }),
} satisfies Partial<WireProfile>;

/** Every request must name the key and the version of the wire. */
function routes(createPath: string): WireProfile['route'] {
  return (request) => {
    if (request.headers.authorization !== `Bearer ${API_KEY}`)
      return { type: 'other', reply: fault(401, 'The API key you provided is invalid.') };
    if (request.headers['x-runway-version'] !== '2024-11-06')
      return { type: 'other', reply: fault(400, 'The X-Runway-Version header is missing or invalid.') };
    if (request.method === 'POST' && request.path === createPath) return { type: 'create' };
    const id = /^\/tasks\/([^/]+)$/.exec(request.path)?.[1];
    if (id === undefined) return undefined;
    if (request.method === 'DELETE') return { type: 'cancel', id };
    return request.method === 'GET' ? { type: 'poll', id } : undefined;
  };
}

export const runwayProfiles: readonly WireProfile[] = [
  {
    ...COMMON,
    name: 'runway/video',
    endpoint: 'video',
    kind: 'video',
    model: 'gen4.5',
    params: { seconds: '5', ratio: '1280:720' },
    manyOutputs: false,
    route: routes('/text_to_video'),
  },
  {
    ...COMMON,
    name: 'runway/image',
    endpoint: 'image',
    kind: 'image',
    model: 'gpt_image_2',
    params: { ratio: 'auto' },
    manyOutputs: true,
    route: routes('/text_to_image'),
  },
  {
    ...COMMON,
    name: 'runway/speech',
    endpoint: 'speech',
    kind: 'audio',
    model: 'eleven_multilingual_v2',
    params: { voice: 'Maya' },
    manyOutputs: false,
    route: routes('/text_to_speech'),
  },
];
