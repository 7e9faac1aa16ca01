import { pollOutcomeOfEnvelope, readErrorEnvelope } from '../error-envelope.ts';
import { jobOutcome, urlArtefacts } from '../job-reading.ts';
import { asNumber, asRecord, firstText, type JsonRecord } from '../json.ts';
import type { PollOutcome, UpstreamResponse, Usage } from '../provider.ts';
import { readStatusWord } from '../status-words.ts';
import { type CodeMeaning, refusalBy, type VendorError } from '../vendor-codes.ts';

/** Vendor documentation, "Error codes", in the order of precedence. */
const MEANINGS: readonly (readonly [RegExp, CodeMeaning])[] = [
  [/Sensitive|RiskDetection/i, 'moderated'],
  [/^(AuthenticationError|Unauthorized|InvalidApiKey)/i, 'unauthorized'],
  // An account that has used up what it may spend also answers 429, and no waiting helps.
  [
    /^(AccountOverdue|AccessDenied|OperationDenied|QuotaExceeded|SetLimitExceeded|InsufficientBalance)/i,
    'account',
  ],
  [/^(ModelNotOpen|UnsupportedModel|InvalidEndpoint|InvalidEndpointOrModel)/i, 'account'],
  [/RateLimitExceeded|InflightBatchsizeExceeded|RequestBurstTooFast|^ServerOverloaded/i, 'rate_limited'],
  [/^(MissingParameter|InvalidParameter|InvalidArgument|BadRequest)/i, 'request'],
];

/** The error of an answer by the vendor's names; undefined when it states none. */
export function readCode(body: JsonRecord): VendorError | undefined {
  const code = firstText(body, ['error.code', 'code']);
  if (code === undefined) return undefined;
  const meaning = MEANINGS.find(([names]) => names.test(code))?.[1];
  return { code, message: firstText(body, ['error.message', 'message']) ?? '', meaning };
}

/** A 4xx that the table explains. */
export const refusalOf = refusalBy(readCode);

/** `GET /contents/generations/tasks/{id}`. */
export function readTask(body: JsonRecord, response: UpstreamResponse): PollOutcome {
  if (typeof body.status !== 'string') {
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  return jobOutcome(body, readStatusWord(body.status), response, {
    artefacts: () => urlArtefacts({ content: body.content }),
    usage: () => usageOf(body),
  });
}

/** Seconds made (also where the order left the length to the model) and tokens, the vendor's own billing unit. */
function usageOf(body: JsonRecord): Usage | undefined {
  const seconds = asNumber(body.duration);
  const tokens = asNumber(asRecord(body.usage)?.total_tokens);
  const units = seconds !== undefined && seconds > 0 ? seconds : undefined;
  return units === undefined && tokens === undefined ? undefined : { units, outputTokens: tokens };
}
