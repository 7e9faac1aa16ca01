import { type ErrorEnvelope, readErrorEnvelope, rejectedBy } from '../error-envelope.ts';
import { asArray, asRecord, asText, firstText, type JsonRecord, valueAt } from '../json.ts';
import type { CreateOutcome, PollOutcome, UpstreamResponse } from '../provider.ts';

/** Google's error model (`google.rpc.Status`), as vendor documentation describes it. */

/** `ErrorInfo.reason` of refusals that are about the key or the project. A bad key comes with HTTP 400. */
const ACCOUNT_REASON = /^(API_KEY_|SERVICE_DISABLED|BILLING_DISABLED|CONSUMER_|ACCOUNT_|USER_PROJECT_)/;
const ACCOUNT_MESSAGE =
  /API key (not valid|expired)|location is not supported|enable billing|billing account/i;
/** Exhausted for the day or for good, in contrast to the limits per minute. */
const SPENT_MESSAGE = /\blimit: 0\b|credits are depleted|spending (cap|limit)/i;

const RPC_CODES: Readonly<Record<string, string>> = {
  '1': 'CANCELLED',
  '2': 'UNKNOWN',
  '3': 'INVALID_ARGUMENT',
  '4': 'DEADLINE_EXCEEDED',
  '5': 'NOT_FOUND',
  '7': 'PERMISSION_DENIED',
  '8': 'RESOURCE_EXHAUSTED',
  '9': 'FAILED_PRECONDITION',
  '10': 'ABORTED',
  '13': 'INTERNAL',
  '14': 'UNAVAILABLE',
  '16': 'UNAUTHENTICATED',
};

/** The name of an operation's error code, which is a number of gRPC there. */
export function rpcCode(error: JsonRecord): string {
  const code = firstText(error, ['status', 'code']) ?? '';
  return RPC_CODES[code] ?? code;
}

/** Whether an error refuses the key or the project, whatever its HTTP status. */
export function refusesKey(body: JsonRecord): boolean {
  const message = firstText(body, ['error.message']) ?? '';
  return ACCOUNT_REASON.test(reasonOf(body)) || ACCOUNT_MESSAGE.test(message);
}

/** A refused create where Google's details say more than the HTTP status. */
export function refusalOf(body: JsonRecord, response: UpstreamResponse): CreateOutcome | undefined {
  const envelope = readErrorEnvelope(body);
  if (!envelope) return undefined;
  if (response.status === 429) {
    return isSpent(body, envelope) ? accountRefusal('quota', envelope, body) : undefined;
  }
  if (refusesKey(body)) return accountRefusal(reasonOf(body) || envelope.code, envelope, body);
  // The address of a create names nothing but the model.
  if (response.status === 404) return accountRefusal('model_not_found', envelope, body);
  return undefined;
}

/** An error in a 2xx, as gateways write it: explicit only with a word that means "not carried out". */
export function negativeOf(body: JsonRecord, response: UpstreamResponse): CreateOutcome | undefined {
  const envelope = readErrorEnvelope(body);
  const isExplicit =
    /^(INVALID_ARGUMENT|FAILED_PRECONDITION|PERMISSION_DENIED|UNAUTHENTICATED|RESOURCE_EXHAUSTED|NOT_FOUND)$/;
  if (!envelope || !isExplicit.test(envelope.code)) return undefined;
  return refusalOf(body, response) ?? rejectedBy(envelope, response, body);
}

/** A poll that Google refuses for the key's sake says nothing about the operation. */
export function keyFault(body: JsonRecord): PollOutcome | undefined {
  if (!refusesKey(body)) return undefined;
  const message = firstText(body, ['error.message']) ?? 'The upstream refuses the key.';
  return { type: 'transient', errorClass: 'unauthorized', message };
}

function accountRefusal(code: string, { message }: ErrorEnvelope, raw: unknown): CreateOutcome {
  return {
    type: 'rejected',
    code,
    scope: 'account',
    message: message || 'The upstream refuses this account.',
    raw,
  };
}

function isSpent(body: JsonRecord, envelope: ErrorEnvelope): boolean {
  if (SPENT_MESSAGE.test(envelope.message)) return true;
  return detailsOf(body)
    .flatMap((detail) => asArray(detail.violations))
    .some((violation) => /PerDay/i.test(asText(asRecord(violation)?.quotaId) ?? ''));
}

function reasonOf(body: JsonRecord): string {
  return (
    detailsOf(body)
      .map((detail) => asText(detail.reason) ?? '')
      .find((reason) => reason !== '') ?? ''
  );
}

function detailsOf(body: JsonRecord): JsonRecord[] {
  return asArray(valueAt(body, 'error.details')).flatMap((detail) => {
    const record = asRecord(detail);
    return record ? [record] : [];
  });
}
