import { checkBy, getJob, sendCancel, sendJsonCreate } from '../calls.ts';
import { cancelWhileQueued } from '../cancel-queued.ts';
import { isContentFile } from '../content-items.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import type {
  CallContext,
  CreateOutcome,
  CreateRequest,
  PollOutcome,
  PollRef,
  ProviderAdapter,
} from '../provider.ts';
import { isImage, refuseReferences } from '../request-params.ts';
import { readUnsignedWebhook } from '../unsigned-webhook.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { createOutcomeOfCode } from '../vendor-codes.ts';
import { arkUrl, taskUrl, videoBody } from './client.ts';
import { createImages } from './images.ts';
import { readCode, readTask, refusalOf } from './mapping.ts';

const ENDPOINTS = {
  video: { kind: 'video', cancellable: true, reports: true },
  images: { kind: 'image', cancellable: false },
} as const;

/** Volcengine Ark and BytePlus ModelArk: Seedance videos as tasks, Seedream images at once (vendor documentation). */
export const arkAdapter: ProviderAdapter = {
  protocol: 'ark',
  endpoints: ENDPOINTS,
  canLookup: false,
  resultWindowSeconds: 86_400,

  credentials: (apiKey): Record<string, string> =>
    apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },

  async create(request, ctx) {
    return request.endpoint === 'images' ? createImages(request, ctx) : createVideo(request, ctx);
  },
  takesFile: ({ endpoint, ...file }) => (endpoint === 'images' ? isImage(file) : isContentFile(file)),
  poll,

  async cancel(ref, ctx) {
    if (ref.endpoint !== 'video') return 'unsupported';
    const url = taskUrl(ctx.baseUrl, ref.id);
    return cancelWhileQueued(await poll(ref, ctx), () => sendCancel(ctx, { method: 'DELETE', url }));
  },

  async readWebhook(request) {
    return readUnsignedWebhook(request, (body) => ({ upstreamId: body.id, status: body.status }));
  },

  check: (ctx) =>
    checkBy(
      ctx,
      {
        url: arkUrl(ctx.baseUrl, '/contents/generations/tasks'),
        query: { page_num: '1', page_size: '1' },
      },
      {
        title: 'Volcengine Ark',
        proves: (body) => (Array.isArray(body.items) ? 'It works: the key is accepted.' : undefined),
      },
    ),
};

async function createVideo(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isContentFile);
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, arkUrl(ctx.baseUrl, '/contents/generations/tasks'), {
    json: await videoBody(request, ctx),
    refusalOf,
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const id = readUpstreamId(body.id);
  const error = readCode(body);
  const negative = readNegative(body);
  if (id !== undefined && (error || negative)) return uncertainAnswer(response, 'id_and_error');
  if (id !== undefined)
    return { type: 'accepted', upstreamId: id, pollRef: { id, endpoint: 'video' }, raw: body };
  if (error) return createOutcomeOfCode(error, response, body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}

async function poll(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  if (ref.endpoint !== 'video') {
    const message = `The endpoint "${ref.endpoint}" has no jobs to poll.`;
    return { type: 'transient', errorClass: 'internal', message };
  }
  const polled = await getJob(ctx, taskUrl(ctx.baseUrl, ref.id));
  return 'outcome' in polled ? polled.outcome : readTask(polled.body, polled.response);
}
