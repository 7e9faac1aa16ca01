import { pollOutcomeOfEnvelope, readErrorEnvelope } from '../error-envelope.ts';
import { failedOutcome, jobOutcome, urlArtefacts } from '../job-reading.ts';
import { asArray, asNumber, asRecord, asText, type JsonRecord, valueAt } from '../json.ts';
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
export const refusalOf = refusalBy(readCode);

/** Reads a create's 2xx. */
export function readCreate(
  body: JsonRecord,
  response: UpstreamResponse,
  refOf: (id: string) => PollRef,
): Promise<CreateOutcome> {
  return createOutcomeOfIdOrCode(body, response, {
    id: readUpstreamId(valueAt(body, 'data.task_id')),
    error: readCode(body),
    refOf,
  });
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
  return jobOutcome(body, status, response, {
    artefacts: () => urlArtefacts({ task_result: data.task_result }),
    usage: () => deliveredSeconds(data),
    // Without the envelope, whose message is "SUCCEED" for every answered request.
    failed: () => ({ ...failedOutcome(data, status), raw: body }),
  });
}

/** Videos carry their length as text ("5.041"). */
function deliveredSeconds(data: JsonRecord): Usage | undefined {
  const seconds = asArray(valueAt(data, 'task_result.videos'))
    .map((video) => asNumber(asRecord(video)?.duration) ?? 0)
    .reduce((sum, duration) => sum + Math.max(duration, 0), 0);
  return seconds > 0 ? { units: seconds } : undefined;
}
