import { readNegative, rejectedBy, uncertainAnswer } from './error-envelope.ts';
import type { JsonRecord } from './json.ts';
import type { CreateOutcome, PollOutcome, PollRef, UpstreamResponse } from './provider.ts';

/** What a vendor's own table says that one of its codes means. */
export type CodeMeaning = 'unauthorized' | 'account' | 'request' | 'moderated' | 'rate_limited' | 'missing';

/** `meaning` undefined: a fault inside the vendor, or a code that its table does not list. */
export type VendorError = { code: string; message: string; meaning: CodeMeaning | undefined };

/**
 * A create that was answered with a vendor's code. Only a code that its table calls a refusal is one; a code without a
 * meaning proves nothing about the job.
 */
export function createOutcomeOfCode(
  error: VendorError,
  response: UpstreamResponse,
  raw: JsonRecord,
): CreateOutcome {
  const { code, meaning } = error;
  const message = error.message || `The upstream refused the request (code ${code}).`;
  switch (meaning) {
    case undefined:
      return {
        type: 'uncertain',
        evidence: { status: response.status, reason: `code_${code}`, message, body: raw },
      };
    case 'rate_limited':
      return { type: 'rate_limited', retryAfterMs: response.retryAfterMs, message };
    case 'moderated':
      return { type: 'rejected', code, message, moderated: true, raw };
    case 'request':
      return { type: 'rejected', code, scope: 'request', message, raw };
    default:
      return { type: 'rejected', code, scope: 'account', message, raw };
  }
}

/** A poll that was answered with a code and no status of the job: never a verdict. */
export function pollOutcomeOfCode(error: VendorError, response: UpstreamResponse): PollOutcome {
  const message = error.message || `The upstream answered with code ${error.code} and no status.`;
  const { retryAfterMs } = response;
  switch (error.meaning) {
    case 'missing':
      return { type: 'missing', message };
    case 'unauthorized':
    case 'account':
      return { type: 'transient', errorClass: 'unauthorized', message, retryAfterMs };
    case 'rate_limited':
      return { type: 'transient', errorClass: 'rate_limited', message, retryAfterMs };
    default:
      return { type: 'transient', errorClass: 'bad_body', message, retryAfterMs };
  }
}

/** Reads a 4xx by the vendor's own table; what the table does not list is left to the HTTP status. */
export function refusalBy(readCode: (body: JsonRecord) => VendorError | undefined) {
  return (body: JsonRecord, response: UpstreamResponse): CreateOutcome | undefined => {
    const error = readCode(body);
    return error?.meaning === undefined ? undefined : createOutcomeOfCode(error, response, body);
  };
}

/**
 * Reads a create's 2xx of a vendor that numbers its errors. An id beside an error contradicts itself, and nobody may
 * guess which half is true.
 */
export async function createOutcomeOfIdOrCode(
  body: JsonRecord,
  response: UpstreamResponse,
  found: { id: string | undefined; error: VendorError | undefined; refOf(id: string): PollRef },
): Promise<CreateOutcome> {
  const { id, error } = found;
  const negative = readNegative(body);
  if (id !== undefined && (error || negative)) return uncertainAnswer(response, 'id_and_error');
  if (id !== undefined) return { type: 'accepted', upstreamId: id, pollRef: found.refOf(id), raw: body };
  if (error) return createOutcomeOfCode(error, response, body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}
