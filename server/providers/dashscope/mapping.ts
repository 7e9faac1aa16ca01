import { pollOutcomeOfEnvelope, readErrorEnvelope } from '../error-envelope.ts';
import { jobOutcome, urlArtefacts } from '../job-reading.ts';
import { asNumber, asRecord, asText, type JsonRecord, valueAt } from '../json.ts';
import type { CreateOutcome, PollOutcome, PollRef, UpstreamResponse, Usage } from '../provider.ts';
import { readStatusWord } from '../status-words.ts';
import { readUpstreamId } from '../upstream-id.ts';
import {
  type CodeMeaning,
  createOutcomeOfIdOrCode,
  pollOutcomeOfCode,
  refusalBy,
  type VendorError,
} from '../vendor-codes.ts';

/** Vendor documentation, "Error codes", in the order of precedence. `InternalError…` and time-outs prove nothing. */
const MEANINGS: readonly (readonly [RegExp, CodeMeaning])[] = [
  [/^(DataInspectionFailed|IPInfringementSuspect|FaqRuleBlocked|CustomRoleBlocked)/i, 'moderated'],
  [/^(InvalidApiKey|invalid_api_key)/i, 'unauthorized'],
  [/^(Arrearage|AllocationQuota\.|(Prepaid|Postpaid)BillOverdue|CommodityNotPurchased)/i, 'account'],
  [/^(AccessDenied|Model\.AccessDenied|Workspace|App\.AccessDenied|access_denied)/i, 'account'],
  [/^(ModelNotFound|model_not_found|ModelNotSupported|ModelNotOpen)/i, 'account'],
  [/^(Throttling|LimitRequests|LimitBurstRate)/i, 'rate_limited'],
  [/^(InvalidParameter|InvalidURL|MissingParameter|BadRequest|UnsupportedOperation|InvalidFile)/i, 'request'],
];

function readCode(body: JsonRecord): VendorError | undefined {
  const code = asText(body.code);
  if (code === undefined || /^(0|200|success|ok)$/i.test(code)) return undefined;
  const meaning = MEANINGS.find(([names]) => names.test(code))?.[1];
  return { code, message: asText(body.message) ?? '', meaning };
}

/** A 4xx that the table explains. */
export const refusalOf = refusalBy(readCode);

/** Reads a create's 2xx; `request_id` is the call's, never the task's. */
export function readCreate(
  body: JsonRecord,
  response: UpstreamResponse,
  refOf: (id: string) => PollRef,
): Promise<CreateOutcome> {
  return createOutcomeOfIdOrCode(body, response, {
    id: readUpstreamId(valueAt(body, 'output.task_id')),
    error: readCode(body),
    refOf,
  });
}

/** `GET /tasks/{id}`: every verdict, also the bad ones, comes with HTTP 200. */
export function readTask(body: JsonRecord, response: UpstreamResponse, endpoint: string): PollOutcome {
  const output = asRecord(body.output) ?? {};
  if (typeof output.task_status !== 'string') {
    const error = readCode(body);
    if (error) return pollOutcomeOfCode(error, response);
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  const status = readStatusWord(output.task_status);
  // Documented as "the task does not exist, or its state is unknown": tasks are forgotten after a day.
  if (status.raw.toUpperCase() === 'UNKNOWN')
    return { type: 'missing', message: asText(output.message) ?? 'The upstream does not know this task.' };
  return jobOutcome(body, status, response, {
    // Images that failed on their own carry a code instead of an address and are left out.
    artefacts: () => urlArtefacts({ output }),
    usage: () => (endpoint === 'video' ? deliveredSeconds(body) : undefined),
  });
}

/** `duration` counts what went in as well, so the length of what came out is preferred. */
function deliveredSeconds(body: JsonRecord): Usage | undefined {
  const usage = asRecord(body.usage) ?? {};
  const seconds =
    asNumber(usage.output_video_duration) ?? asNumber(usage.video_duration) ?? asNumber(usage.duration);
  return seconds !== undefined && seconds > 0 ? { units: seconds } : undefined;
}
