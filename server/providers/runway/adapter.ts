import { assertNever } from '#server/lib/assert-never.ts';
import { checkBy, getJob, sendCancel, sendJsonCreate } from '../calls.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { failedOutcome } from '../job-reading.ts';
import { asNumber } from '../json.ts';
import type {
  CallContext,
  CancelOutcome,
  CreateOutcome,
  CreateRequest,
  PollOutcome,
  PollRef,
  ProviderAdapter,
  ReferenceFile,
} from '../provider.ts';
import { isImage, refuseReferences, refuseRepeatedFrames } from '../request-params.ts';
import { readStatusWord } from '../status-words.ts';
import { readUpstreamId } from '../upstream-id.ts';
import {
  API_VERSION,
  apiUrl,
  imageCall,
  isVideo,
  refuseLargeFiles,
  soundCall,
  speechCall,
  taskUrl,
  videoCall,
} from './client.ts';
import { readTask, refusalOf } from './mapping.ts';

const ENDPOINTS = {
  video: { kind: 'video', cancellable: true },
  image: { kind: 'image', cancellable: true },
  speech: { kind: 'audio', cancellable: true },
  sound: { kind: 'audio', cancellable: true },
} as const;

type Endpoint = keyof typeof ENDPOINTS;

/**
 * Runway's API (vendor documentation of the Runway API): every kind of work is a task, polled at most every five
 * seconds. There is no list of tasks and no webhook, so an unanswered create cannot be looked up.
 */
export const runwayAdapter: ProviderAdapter = {
  protocol: 'runway',
  endpoints: ENDPOINTS,
  canLookup: false,
  minPollMs: 5_000,

  credentials: (apiKey): Record<string, string> =>
    apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },

  async create(request, ctx) {
    const refusal =
      refuseReferences(request, accepts(request.endpoint)) ??
      refuseRepeatedFrames(request) ??
      refuseSecondVideo(request) ??
      refuseLargeFiles(request);
    return refusal ?? createTask(request, ctx);
  },

  takesFile: ({ endpoint, ...file }) => accepts(endpoint)(file),

  async poll(ref, ctx) {
    const polled = await getJob(ctx, taskUrl(ctx.baseUrl, ref.id), {
      headers: API_VERSION,
      verdictOf: (body) => {
        const status = readStatusWord(body.status);
        return status.meaning === 'failed' ? failedOutcome(body, status) : undefined;
      },
    });
    return 'outcome' in polled ? polled.outcome : readTask(polled.body, polled.response);
  },

  cancel: cancelTask,

  check: (ctx) =>
    checkBy(
      ctx,
      { url: apiUrl(ctx.baseUrl, '/organization'), headers: API_VERSION },
      {
        title: "Runway's API",
        proves(body) {
          const credits = asNumber(body.creditBalance);
          return credits === undefined
            ? undefined
            : `It works: the key is accepted and ${credits} credits are left.`;
        },
      },
    ),
};

function accepts(endpoint: string) {
  return (file: Pick<ReferenceFile, 'mime'>): boolean => {
    if (endpoint === 'image') return isImage(file);
    return endpoint === 'video' && (isImage(file) || isVideo(file));
  };
}

function refuseSecondVideo(request: CreateRequest): CreateOutcome | undefined {
  if (request.references.filter(isVideo).length < 2) return undefined;
  const message = 'This model takes one video. Remove the other one.';
  return { type: 'rejected', code: 'unsupported_reference', message };
}

function callOf(request: CreateRequest) {
  const endpoint = request.endpoint as Endpoint;
  switch (endpoint) {
    case 'video':
      return videoCall(request);
    case 'image':
      return imageCall(request);
    case 'speech':
      return speechCall(request);
    case 'sound':
      return soundCall(request);
    default:
      return assertNever(endpoint);
  }
}

async function createTask(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const { path, json } = await callOf(request);
  const sent = await sendJsonCreate(ctx, apiUrl(ctx.baseUrl, path), {
    json,
    headers: API_VERSION,
    refusalOf,
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const id = readUpstreamId(body.id);
  if (id !== undefined) {
    const pollRef: PollRef = { id, endpoint: request.endpoint };
    return { type: 'accepted', upstreamId: id, pollRef, raw: body };
  }
  const negative = readNegative(body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}

const ENDED: readonly PollOutcome['type'][] = ['succeeded', 'failed', 'cancelled'];

/**
 * `DELETE /tasks/{id}` cancels a task that runs, but deletes one that is finished together with its result. So the task
 * is read first, and only one that is seen to be unfinished is deleted.
 */
async function cancelTask(ref: PollRef, ctx: CallContext): Promise<CancelOutcome> {
  const url = taskUrl(ctx.baseUrl, ref.id);
  const polled = await getJob(ctx, url, { headers: API_VERSION });
  if ('outcome' in polled) return 'unknown';
  const { type } = readTask(polled.body, polled.response);
  if (ENDED.includes(type)) return 'already_terminal';
  return type === 'pending' ? sendCancel(ctx, { method: 'DELETE', url, headers: API_VERSION }) : 'unknown';
}
