import { checkBy, sendCancel, sendJsonCreate } from '../calls.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { misfits, takesHostedFile } from '../hosted-model.ts';
import type {
  CallContext,
  CancelOutcome,
  CreateOutcome,
  CreateRequest,
  PollRef,
  ProviderAdapter,
} from '../provider.ts';
import { refuseReferences } from '../request-params.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { completeRef, falInput, inputNames, isModelPath, pollRefOf } from './client.ts';
import { readFalError, scoped } from './mapping.ts';
import { pollRequest } from './poll.ts';
import { readFalWebhook } from './webhook.ts';

/** A request that nobody has made: asking for it costs nothing. */
const NOBODYS_REQUEST = '/fal-ai/flux/requests/00000000-0000-4000-8000-000000000000/status';

/** fal's queue API (vendor documentation "Queue"). There is no listing, so a lost create is told by its webhook only. */
export const falAdapter: ProviderAdapter = {
  protocol: 'fal',
  endpoints: {
    image: { kind: 'image', cancellable: true, reports: true },
    video: { kind: 'video', cancellable: true, reports: true },
    audio: { kind: 'audio', cancellable: true, reports: true },
  },
  canLookup: false,
  credentials: (apiKey) => ({ authorization: `Key ${apiKey}` }),
  create: createRequest,
  takesFile: (query) => takesHostedFile(query, inputNames(query.model, query.settings)),
  poll: pollRequest,
  cancel: cancelRequest,
  readWebhook: readFalWebhook,
  check: (ctx) =>
    checkBy(
      ctx,
      { url: NOBODYS_REQUEST },
      {
        title: 'the queue of fal',
        proves: (body) =>
          typeof body.status === 'string' ? 'The upstream answers and does not refuse the key.' : undefined,
        alsoProves: (response, body) =>
          [400, 404, 422].includes(response.status) && readFalError(body, response)
            ? 'The upstream answers and does not refuse the key.'
            : undefined,
      },
    ),
};

async function createRequest(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  if (!isModelPath(request.model)) {
    const message = `"${request.model}" is not a model of fal. Use its path, such as fal-ai/flux/dev.`;
    return { type: 'rejected', code: 'invalid_model', scope: 'account', message };
  }
  const unusable = misfits(request.references, inputNames(request.model, ctx.settings));
  const refusal = refuseReferences(request, (file) => !unusable.includes(file));
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, `/${request.model}`, {
    query: ctx.webhookUrl === undefined ? undefined : { fal_webhook: ctx.webhookUrl },
    json: await falInput(request, ctx.settings),
  });
  if ('outcome' in sent) return scoped(sent.outcome);

  const { response, body } = sent;
  const id = readUpstreamId(body.request_id);
  if (id !== undefined) {
    const pollRef = pollRefOf(id, request, body, ctx.baseUrl);
    return { type: 'accepted', upstreamId: id, pollRef, raw: body };
  }
  const negative = readNegative(body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}

/** `PUT …/cancel`: takes a waiting request out of the queue, and asks a running one to stop. */
async function cancelRequest(ref: PollRef, ctx: CallContext): Promise<CancelOutcome> {
  const { cancelUrl } = completeRef(ref, ctx.baseUrl);
  return cancelUrl ? sendCancel(ctx, { method: 'PUT', url: cancelUrl }) : 'unknown';
}
