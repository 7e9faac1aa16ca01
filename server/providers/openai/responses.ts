import type { ToolCall } from '#server/generation/conversation/schemas.ts';
import { getJob, sendCancel, sendJsonCreate } from '../calls.ts';
import {
  pollOutcomeOfEnvelope,
  readErrorEnvelope,
  readNegative,
  rejectedBy,
  uncertainAnswer,
} from '../error-envelope.ts';
import { failedOutcome, textArtefacts, tokenUsage } from '../job-reading.ts';
import { asArray, type JsonRecord } from '../json.ts';
import type {
  CallContext,
  CancelOutcome,
  CreateOutcome,
  CreateRequest,
  PollOutcome,
  PollRef,
} from '../provider.ts';
import { isImage, refuseReferences, toDataUri, wireParams } from '../request-params.ts';
import { pollDelayOf } from '../retry-after.ts';
import { readStatusWord } from '../status-words.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { apiUrl } from './client.ts';
import { answerArtefacts, readToolCalls } from './conversation-answer.ts';
import { responseGuidance, responseInput } from './conversation-request.ts';
import { contentPart, outputItem, parseEach, type ResponseObject, responseObject } from './schemas.ts';

/** A finished response repeats its whole output in every answer. */
const MAX_BYTES = 32_000_000;

/** Gateways relay `POST /responses` only, so a job in the background could never be read again. */
type ResponseMode = 'background' | 'direct';

/**
 * `POST /responses`. In the background `store` keeps the result readable beyond ten minutes; our
 * reference goes into the metadata, where an administrator finds it in the vendor's own logs.
 */
export async function createResponse(
  request: CreateRequest,
  ctx: CallContext,
  mode: ResponseMode = 'background',
): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImage);
  if (refusal) return refusal;
  const { conversation } = request;
  // The instructions of a conversation are the only ones.
  const own = conversation ? ['instructions'] : [];
  const { reasoning_effort, verbosity, max_tokens, ...params } = wireParams(request.params, own);
  const sent = await sendJsonCreate(ctx, apiUrl(ctx.baseUrl, '/responses'), {
    json: {
      model: request.model,
      input: await inputOf(request),
      ...(reasoning_effort === undefined ? {} : { reasoning: { effort: reasoning_effort } }),
      ...(verbosity === undefined ? {} : { text: { verbosity } }),
      ...(max_tokens === undefined ? {} : { max_output_tokens: max_tokens }),
      ...params,
      ...(conversation ? responseGuidance(conversation) : {}),
      ...(mode === 'background'
        ? { background: true, store: true, metadata: { client_reference: ctx.clientRef } }
        : { stream: false }),
    },
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const id = body.success === false ? undefined : readUpstreamId(body.id);
  const verdict = await readVerdict(body, ctx, conversation !== undefined);
  if (verdict.type === 'succeeded' && verdict.artefacts.length > 0) {
    return { type: 'done', artefacts: verdict.artefacts, usage: verdict.usage, raw: body };
  }
  if (verdict.type === 'failed') {
    return {
      type: 'rejected',
      code: verdict.code,
      message: verdict.reason,
      moderated: verdict.moderated,
      raw: body,
    };
  }
  if (id !== undefined) {
    const pollRef: PollRef = { id, endpoint: 'responses', ...(conversation ? { conversation: true } : {}) };
    return { type: 'accepted', upstreamId: id, pollRef, raw: body };
  }
  const negative = readNegative(body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}

async function inputOf(request: CreateRequest): Promise<unknown> {
  const images = await Promise.all(
    request.references.map(async (file) => ({ type: 'input_image', image_url: await toDataUri(file) })),
  );
  if (request.conversation) return responseInput(request.conversation, images);
  if (images.length === 0) return request.prompt;
  return [{ role: 'user', content: [{ type: 'input_text', text: request.prompt }, ...images] }];
}

/** `GET /responses/{id}`. */
export async function pollResponse(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const polled = await getJob(ctx, apiUrl(ctx.baseUrl, `/responses/${encodeURIComponent(ref.id)}`), {
    maxBytes: MAX_BYTES,
    verdictOf: (body) => {
      const status = readStatusWord(body.status);
      return status.meaning === 'failed' ? failedOutcome(body, status) : undefined;
    },
  });
  if ('outcome' in polled) return polled.outcome;
  const { response, body } = polled;
  if (body.status === undefined || body.status === null) {
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  const verdict = await readVerdict(body, ctx, ref.conversation === true);
  return verdict.type === 'pending' ? { ...verdict, retryAfterMs: pollDelayOf(response) } : verdict;
}

type Verdict = Extract<PollOutcome, { type: 'pending' | 'succeeded' | 'failed' | 'cancelled' }>;

/** Reads a response object. `incomplete` with text is a result: the partial text was made and is delivered. */
async function readVerdict(body: JsonRecord, ctx: CallContext, converses: boolean): Promise<Verdict> {
  const answer = responseObject.parse(body);
  const status = readStatusWord(answer.status);
  const isIncomplete = status.raw.toLowerCase() === 'incomplete';
  if (status.meaning === 'succeeded' || isIncomplete) {
    const artefacts = converses
      ? await answerArtefacts({ text: outputText(answer), toolCalls: outputCalls(answer) }, ctx)
      : await textArtefacts([outputText(answer)], ctx);
    const refusal = artefacts.length === 0 ? refusalText(answer) : undefined;
    if (refusal !== undefined) {
      return {
        type: 'failed',
        code: 'refused',
        reason: refusal,
        moderated: true,
        status: status.raw,
        raw: body,
      };
    }
    if (artefacts.length === 0 && isIncomplete) return incompleteOutcome(answer, body);
    return { type: 'succeeded', artefacts, usage: tokenUsage(answer.usage), status: status.raw, raw: body };
  }
  if (status.meaning === 'failed') return failedOutcome(body, status);
  if (status.meaning === 'cancelled') return { type: 'cancelled', status: status.raw, raw: body };
  return { type: 'pending', status: status.raw, known: status.meaning !== undefined };
}

function incompleteOutcome(answer: ResponseObject, body: JsonRecord): Verdict {
  const why = answer.incomplete_details?.reason ?? 'incomplete';
  return {
    type: 'failed',
    code: why,
    reason: `The answer ended before it had any text (${why}).`,
    moderated: why === 'content_filter',
    status: 'incomplete',
    raw: body,
  };
}

/** All text of all messages, in order; some gateways give only the convenience field `output_text`. */
function outputText(answer: ResponseObject): string {
  const texts = contentParts(answer).flatMap((part) =>
    part.type === 'output_text' || part.type === 'text' ? [part.text ?? ''] : [],
  );
  return texts.join('') || (answer.output_text ?? '');
}

function outputCalls(answer: ResponseObject): ToolCall[] {
  return readToolCalls(
    parseEach(asArray(answer.output), outputItem).filter((item) => item.type === 'function_call'),
  );
}

function refusalText(answer: ResponseObject): string | undefined {
  return contentParts(answer).find((part) => part.type === 'refusal')?.refusal;
}

function contentParts(answer: ResponseObject) {
  const messages = parseEach(asArray(answer.output), outputItem).filter((item) => item.type === 'message');
  return parseEach(
    messages.flatMap((item) => asArray(item.content)),
    contentPart,
  );
}

/** `POST /responses/{id}/cancel`: idempotent; the next poll tells how the job ended. */
export function cancelResponse(ref: PollRef, ctx: CallContext): Promise<CancelOutcome> {
  const url = apiUrl(ctx.baseUrl, `/responses/${encodeURIComponent(ref.id)}/cancel`);
  return sendCancel(ctx, { method: 'POST', url, maxBytes: MAX_BYTES }, (body) => {
    const { meaning } = readStatusWord(body.status);
    return meaning === 'succeeded' || meaning === 'failed';
  });
}
