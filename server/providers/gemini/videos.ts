import { getJob, sendJsonCreate } from '../calls.ts';
import { pollOutcomeOfEnvelope, readErrorEnvelope, uncertainAnswer } from '../error-envelope.ts';
import type { CallContext, CreateOutcome, CreateRequest, PollOutcome, PollRef } from '../provider.ts';
import { isImage, refuseReferences, refuseRepeatedFrames } from '../request-params.ts';
import { pollDelayOf } from '../retry-after.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { modelUrl, operationUrl, videoBody } from './client.ts';
import { keyFault, negativeOf, refusalOf } from './errors.ts';
import { readOperation } from './mapping.ts';

/** Some hosts put the videos themselves into a finished operation. */
const MAX_BYTES = 128_000_000;

/** `POST /models/{model}:predictLongRunning`. The operation's name is the job's id. */
export async function createVideo(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImage) ?? refuseRepeatedFrames(request);
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, modelUrl(ctx.baseUrl, request.model, 'predictLongRunning'), {
    json: await videoBody(request),
    refusalOf,
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const id = readUpstreamId(body.name);
  if (id !== undefined && operationUrl(ctx.baseUrl, id) !== undefined) {
    return { type: 'accepted', upstreamId: id, pollRef: { id, endpoint: 'video' }, raw: body };
  }
  return negativeOf(body, response) ?? uncertainAnswer(response, 'no_id');
}

/** `GET /{operation name}`. */
export async function pollVideo(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const url = operationUrl(ctx.baseUrl, ref.id);
  if (url === undefined) return { type: 'missing', message: `"${ref.id}" is not the name of an operation.` };
  const polled = await getJob(ctx, url, { verdictOf: keyFault, maxBytes: MAX_BYTES });
  if ('outcome' in polled) return polled.outcome;

  const { response, body } = polled;
  if (body.done === undefined && body.name === undefined) {
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  const outcome = await readOperation(body, ctx);
  return outcome.type === 'pending' ? { ...outcome, retryAfterMs: pollDelayOf(response) } : outcome;
}
