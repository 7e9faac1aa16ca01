import { createHmac } from 'node:crypto';
import { asRecord } from '#server/providers/json.ts';
import type { JobState, WireProfile, WireReply, WireRequest, WireRoute } from '../wire-profile.ts';

const ACCESS = 'access-conformance';
const SECRET = 'secret-conformance-0123456789';

const coded = (status: number, code: number, message: string): WireReply => ({
  status,
  json: { code, message, request_id: 'CjikY2gHPbcAAAAAAYJ' },
});

/** Checks the token as the vendor does: signature, issuer and both ends of its time. */
function isSigned(request: WireRequest): boolean {
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const [header = '', claims = '', signature = ''] = token.split('.');
  const expected = createHmac('sha256', SECRET).update(`${header}.${claims}`).digest('base64url');
  if (signature !== expected) return false;
  const { iss, exp, nbf } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
    string,
    unknown
  >;
  return iss === ACCESS && typeof exp === 'number' && typeof nbf === 'number' && exp > nbf;
}

const STATUS: Readonly<Record<JobState['type'], string>> = {
  queued: 'submitted',
  running: 'processing',
  unknown: 'super_resolving',
  succeeded: 'succeed',
  empty: 'succeed',
  failed: 'failed',
  moderated: 'failed',
  cancelled: 'canceled',
};

function reasonOf(state: JobState): string {
  if (state.type === 'moderated') return 'Failure to pass the risk control system';
  return state.type === 'failed' ? (state.reason ?? '') : '';
}

const task = (id: string, data: object): WireReply => ({
  json: {
    code: 0,
    message: 'SUCCEED',
    request_id: 'CjikY2gHPbcAAAAAAYJ',
    data: { task_id: id, created_at: 1_722_769_557_708, updated_at: 1_722_769_557_708, ...data },
  },
});

/** Job ids are numbers; whatever else is asked for is a reference of the caller's. */
function routeOf(request: WireRequest, creates: string, below: RegExp): WireRoute | undefined {
  if (!isSigned(request)) return { type: 'other', reply: coded(401, 1_002, 'Authorization is invalid') };
  if (request.method === 'POST' && request.path === creates) return { type: 'create' };
  const id = below.exec(request.path)?.[1];
  if (request.method !== 'GET' || !id) return undefined;
  return /^\d+$/.test(id) ? { type: 'poll', id } : { type: 'lookup', clientRef: decodeURIComponent(id) };
}

const COMMON = {
  protocol: 'kling',
  apiKey: `${ACCESS}:${SECRET}`,
  synchronous: false,
  basePath: '',
  jobId: (n) => String(831_000_000_000_000_000n + BigInt(n)),
  accepted: (id) => task(id, { task_status: 'submitted', task_info: {} }),
  rejected: coded(400, 1_201, 'prompt is too long'),
  accountRejected: coded(429, 1_102, 'Account balance not enough'),
  rateLimited: {
    ...coded(429, 1_303, 'parallel task over resource pack limit'),
    headers: { 'retry-after': '7' },
  },
  noId: { json: { code: 0, message: 'SUCCEED', request_id: 'r', data: null } },
  missing: () => coded(404, 1_203, 'The requested resource does not exist'),
  lookup(job) {
    if (!job) return coded(404, 1_203, 'The requested resource does not exist');
    const external_task_id = asRecord(job.createRequest.json)?.external_task_id;
    return task(job.id, { task_status: 'processing', task_info: { external_task_id } });
  },
} satisfies Partial<WireProfile>;

const video: WireProfile = {
  ...COMMON,
  name: 'kling/video',
  endpoint: 'video',
  kind: 'video',
  model: 'kling-v2-6',
  params: { seconds: '5', aspect_ratio: '16:9' },
  manyOutputs: false,
  route: (request) =>
    routeOf(
      request,
      '/v1/videos/text2video',
      /^\/v1\/videos\/(?:text2video|image2video|multi-image2video)\/([^/]+)$/,
    ),
  job(id, state) {
    const urls = state.type === 'succeeded' ? state.urls : [];
    const videos = urls.map((url, index) => ({ id: `v${index}`, url: url ?? '', duration: '5.041' }));
    return task(id, {
      task_status: STATUS[state.type],
      task_status_msg: reasonOf(state),
      ...(urls.length > 0 ? { task_result: { videos } } : {}),
    });
  },
};

const image: WireProfile = {
  ...COMMON,
  name: 'kling/image',
  endpoint: 'image',
  kind: 'image',
  model: 'kling-v2-1',
  params: { aspect_ratio: '1:1' },
  manyOutputs: true,
  route: (request) => routeOf(request, '/v1/images/generations', /^\/v1\/images\/generations\/([^/]+)$/),
  job(id, state) {
    const urls = state.type === 'succeeded' ? state.urls : [];
    const images = urls.map((url, index) => ({ index, url: url ?? '' }));
    return task(id, {
      task_status: STATUS[state.type],
      task_status_msg: reasonOf(state),
      ...(urls.length > 0 ? { task_result: { images } } : {}),
    });
  },
};

/** Kling's own API. Written from the vendor's documentation. */
export const klingProfiles: readonly WireProfile[] = [video, image];
