import { getJob } from '../calls.ts';
import { pollOutcomeOfFailure } from '../classify-error.ts';
import { pollOutcomeOfEnvelope, pollOutcomeOfStatus, readErrorEnvelope } from '../error-envelope.ts';
import { asRecord, asText, type JsonRecord } from '../json.ts';
import type { CallContext, PollOutcome, PollRef, UpstreamResponse } from '../provider.ts';
import { pollDelayOf } from '../retry-after.ts';
import { readStatusWord } from '../status-words.ts';
import { completeRef } from './client.ts';
import { failedBy, readFalError, readPayload } from './mapping.ts';

const RESULT_BYTES = 64_000_000;
/** Answers that speak of this reading of the result, not of the request. */
const NOT_A_VERDICT = new Set([401, 402, 403, 404, 405, 407, 408, 410, 425, 429, 451]);

/**
 * Two hops: the status says only that a request is over, and `COMPLETED` covers failures. What came of it is what the
 * result's address answers: the payload, or the model's error with its status.
 */
export async function pollRequest(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const { pollUrl, resultUrl } = completeRef(ref, ctx.baseUrl);
  if (!pollUrl || !resultUrl) {
    const message = 'The addresses of this request were not kept, so it cannot be asked for.';
    return { type: 'transient', errorClass: 'internal', message };
  }
  const polled = await getJob(ctx, pollUrl);
  if ('outcome' in polled) return polled.outcome;
  const { response, body } = polled;
  const status = readStatusWord(body.status);
  switch (status.meaning) {
    case 'succeeded':
    case 'failed':
      return readResult(ref, ctx, { url: resultUrl, status: body, failed: status.meaning === 'failed' });
    case 'cancelled':
      return { type: 'cancelled', status: status.raw, raw: body };
    default: {
      const envelope = status.raw === '' ? readErrorEnvelope(body) : undefined;
      if (envelope) return pollOutcomeOfEnvelope(envelope, response);
      const known = status.meaning !== undefined;
      return { type: 'pending', status: status.raw, known, retryAfterMs: pollDelayOf(response) };
    }
  }
}

async function readResult(
  ref: PollRef,
  ctx: CallContext,
  over: { url: string; status: JsonRecord; failed: boolean },
): Promise<PollOutcome> {
  const answer = await ctx.request({ method: 'GET', url: over.url, maxBytes: RESULT_BYTES });
  const body = answer.type === 'response' ? asRecord(await answer.json()) : undefined;
  if (answer.type === 'response' && body) {
    const isOk = answer.status >= 200 && answer.status < 300;
    if (isOk && !over.failed) return readPayload(body, ref.endpoint, ctx);
    const verdict = isOk ? undefined : verdictOf(answer, body);
    if (verdict) return verdict;
  }
  // The result does not say it (any more); the status may.
  const stated = asText(over.status.error) !== undefined || asText(over.status.error_type) !== undefined;
  if (stated || over.failed) {
    const envelope = {
      code: asText(over.status.error_type) ?? '',
      type: '',
      message: asText(over.status.error) ?? 'The upstream reported a failure without a reason.',
    };
    return failedBy(envelope, asText(over.status.status) ?? 'COMPLETED', over.status);
  }
  if (answer.type === 'failure') return pollOutcomeOfFailure(answer);
  const byStatus = await pollOutcomeOfStatus(answer);
  if (byStatus) return byStatus;
  const message = `The result's address answered HTTP ${answer.status} with something that is not a JSON object.`;
  return { type: 'transient', errorClass: 'bad_body', message, retryAfterMs: answer.retryAfterMs };
}

/**
 * The model's own error is replayed with its status. A fault of a server is the model's only when it is typed, as the
 * stored ones are; `internal_error` may as well be the platform's trouble with this reading.
 */
function verdictOf(answer: UpstreamResponse, body: JsonRecord): PollOutcome | undefined {
  if (answer.status < 400 || NOT_A_VERDICT.has(answer.status)) return undefined;
  const envelope = readFalError(body, answer);
  if (!envelope) return undefined;
  if (answer.status < 500) {
    const isEarly = /still in progress|not (yet )?completed/i.test(envelope.message);
    return isEarly
      ? { type: 'pending', status: 'IN_PROGRESS', known: true }
      : failedBy(envelope, 'COMPLETED', body);
  }
  return envelope.code === '' || envelope.code === 'internal_error'
    ? undefined
    : failedBy(envelope, 'COMPLETED', body);
}
