import {
  pollOutcomeOfEnvelope,
  readErrorEnvelope,
  readNegative,
  rejectedBy,
  uncertainAnswer,
} from '../error-envelope.ts';
import { failedOutcome, readResultUrls } from '../job-reading.ts';
import { asArray, asNumber, asRecord, asText, type JsonRecord, valueAt } from '../json.ts';
import type { CreateOutcome, PollOutcome, PollRef, UpstreamResponse, Usage } from '../provider.ts';
import { readStatusWord } from '../status-words.ts';
import { readUpstreamId } from '../upstream-id.ts';
import {
  type CodeMeaning,
  createOutcomeOfCode,
  pollOutcomeOfCode,
  type VendorError,
} from '../vendor-codes.ts';

/** Vendor documentation, "Error Codes". 5000–5002 are the vendor's own faults and say nothing about the job. */
const MEANINGS: Readonly<Record<string, CodeMeaning>> = {
  '1000': 'unauthorized',
  '1001': 'unauthorized',
  '1002': 'unauthorized',
  '1003': 'unauthorized',
  '1004': 'unauthorized',
  '1100': 'account',
  '1101': 'account',
  '1102': 'account',
  '1103': 'account',
  '1200': 'request',
  '1201': 'request',
  '1202': 'request',
  '1203': 'missing',
  '1300': 'moderated',
  '1301': 'moderated',
  '1302': 'rate_limited',
  '1303': 'rate_limited',
  '1304': 'account',
};

/** The numbered error of an answer; undefined for success (0) and for answers of other shapes. */
export function readCode(body: JsonRecord): VendorError | undefined {
  const code = asText(body.code);
  if (code === undefined || !/^-?\d+$/.test(code) || Number(code) === 0) return undefined;
  const meaning = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  return { code, message: asText(body.message) ?? '', meaning };
}

/** A 4xx that the table explains: the HTTP status alone would take an empty account for a busy one. */
export function refusalOf(body: JsonRecord, response: UpstreamResponse): CreateOutcome | undefined {
  const error = readCode(body);
  return error?.meaning === undefined ? undefined : createOutcomeOfCode(error, response, body);
}

/** Reads a create's 2xx. An id beside an error contradicts itself, and nobody may guess which half is true. */
export async function readCreate(
  body: JsonRecord,
  response: UpstreamResponse,
  refOf: (id: string) => PollRef,
): Promise<CreateOutcome> {
  const id = readUpstreamId(valueAt(body, 'data.task_id'));
  const error = readCode(body);
  const negative = readNegative(body);
  if (id !== undefined && (error || negative)) return uncertainAnswer(response, 'id_and_error');
  if (id !== undefined) return { type: 'accepted', upstreamId: id, pollRef: refOf(id), raw: body };
  if (error) return createOutcomeOfCode(error, response, body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}

/** Reads a job; `data.task_status` is the verdict whatever the envelope says. */
export function readJob(body: JsonRecord, response: UpstreamResponse): PollOutcome {
  const data = asRecord(body.data) ?? {};
  const word = data.task_status;
  if (typeof word !== 'string' && typeof word !== 'number') {
    const error = readCode(body);
    if (error) return pollOutcomeOfCode(error, response);
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  const status = readStatusWord(word);
  switch (status.meaning) {
    case 'succeeded':
      return {
        type: 'succeeded',
        artefacts: readResultUrls({ task_result: data.task_result }).map((url) => ({ type: 'url', url })),
        usage: deliveredSeconds(data),
        status: status.raw,
        raw: body,
      };
    case 'failed':
      // Without the envelope, whose message is "SUCCEED" for every answered request.
      return { ...failedOutcome(data, status), raw: body };
    case 'cancelled':
      return { type: 'cancelled', status: status.raw, raw: body };
    default:
      return {
        type: 'pending',
        status: status.raw,
        known: status.meaning !== undefined,
        retryAfterMs: response.retryAfterMs,
      };
  }
}

/** Videos carry their length as text ("5.041"). */
function deliveredSeconds(data: JsonRecord): Usage | undefined {
  const seconds = asArray(valueAt(data, 'task_result.videos'))
    .map((video) => asNumber(asRecord(video)?.duration) ?? 0)
    .reduce((sum, duration) => sum + Math.max(duration, 0), 0);
  return seconds > 0 ? { units: seconds } : undefined;
}
