import { checkBy, getJob, sendCancel, sendJsonCreate } from '../calls.ts';
import {
  pollOutcomeOfEnvelope,
  readErrorEnvelope,
  readNegative,
  rejectedBy,
  uncertainAnswer,
} from '../error-envelope.ts';
import { misfits, takesHostedFile } from '../hosted-model.ts';
import { asText } from '../json.ts';
import type {
  CallContext,
  CancelOutcome,
  CreateOutcome,
  CreateRequest,
  PollOutcome,
  PollRef,
  ProviderAdapter,
} from '../provider.ts';
import { refuseReferences } from '../request-params.ts';
import { pollDelayOf } from '../retry-after.ts';
import { readStatusWord } from '../status-words.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { apiUrl, createTarget, inputNames, predictionInput, predictionUrl } from './client.ts';
import { lookupPrediction } from './lookup.ts';
import { keptBody, pollRefOf, readPrediction, scoped } from './mapping.ts';
import { readReplicateWebhook } from './webhook.ts';

/** A prediction repeats its input, with our files in it, and all of its logs. */
const MAX_BYTES = 64_000_000;

/** Replicate's HTTP API (vendor documentation "Predictions"): one way to create, whatever the model makes. */
export const replicateAdapter: ProviderAdapter = {
  protocol: 'replicate',
  endpoints: {
    image: { kind: 'image', cancellable: true, reports: true },
    video: { kind: 'video', cancellable: true, reports: true },
    audio: { kind: 'audio', cancellable: true, reports: true },
    text: { kind: 'text', cancellable: true, reports: true },
  },
  canLookup: true,
  /** Input and output of predictions made by the API are removed an hour after their end. */
  resultWindowSeconds: 3_600,
  credentials: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  create: createPrediction,
  takesFile: (query) => takesHostedFile(query, inputNames(query.model, query.settings)),
  poll: pollPrediction,
  cancel: cancelPrediction,
  lookup: lookupPrediction,
  readWebhook: readReplicateWebhook,
  check: (ctx) =>
    checkBy(
      ctx,
      { url: apiUrl(ctx.baseUrl, '/account') },
      {
        title: 'Replicate',
        proves(body) {
          const who = asText(body.username) ?? asText(body.name);
          return who && `It works: the token belongs to ${who.slice(0, 100)}.`;
        },
      },
    ),
};

/** Never with the header `Prefer: wait`: an answer that takes a minute is one more minute in which it can be lost. */
async function createPrediction(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const target = createTarget(request.model);
  if (!target) {
    const message = `"${request.model}" is not a model of Replicate. Use owner/name, or owner/name:version.`;
    return { type: 'rejected', code: 'invalid_model', scope: 'account', message };
  }
  const unusable = misfits(request.references, inputNames(request.model, ctx.settings));
  const refusal = refuseReferences(request, (file) => !unusable.includes(file));
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, apiUrl(ctx.baseUrl, target.path), {
    json: {
      ...(target.version === undefined ? {} : { version: target.version }),
      input: await predictionInput(request, ctx.settings),
      ...(ctx.webhookUrl === undefined
        ? {}
        : { webhook: ctx.webhookUrl, webhook_events_filter: ['completed'] }),
    },
  });
  if ('outcome' in sent) return scoped(sent.outcome);

  const { response, body } = sent;
  const id = readUpstreamId(body.id);
  if (id !== undefined) {
    const pollRef = pollRefOf(id, request.endpoint, body, ctx.baseUrl);
    return { type: 'accepted', upstreamId: id, pollRef, raw: keptBody(body) };
  }
  const negative = readNegative(body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}

async function pollPrediction(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const polled = await getJob(ctx, ref.pollUrl ?? predictionUrl(ctx, ref.id), { maxBytes: MAX_BYTES });
  if ('outcome' in polled) return polled.outcome;
  const { response, body } = polled;
  if (body.status === undefined || body.status === null) {
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  const outcome = await readPrediction(body, ref.endpoint, ctx);
  return outcome.type === 'pending' ? { ...outcome, retryAfterMs: pollDelayOf(response) } : outcome;
}

/** Answers with the prediction as it is then; one that had ended stays as it was. */
function cancelPrediction(ref: PollRef, ctx: CallContext): Promise<CancelOutcome> {
  const url = ref.cancelUrl ?? `${predictionUrl(ctx, ref.id)}/cancel`;
  return sendCancel(ctx, { method: 'POST', url, maxBytes: MAX_BYTES }, (body) => {
    const { meaning } = readStatusWord(body.status);
    return meaning === 'succeeded' || meaning === 'failed';
  });
}
