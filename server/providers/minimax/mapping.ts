import { pollOutcomeOfEnvelope, readErrorEnvelope } from '../error-envelope.ts';
import { failedOutcome, readResultUrls } from '../job-reading.ts';
import { asNumber, asRecord, isHttpUrl, type JsonRecord, valueAt } from '../json.ts';
import type { PollOutcome, UpstreamResponse } from '../provider.ts';
import { readStatusWord, type StatusReading } from '../status-words.ts';
import { pollOutcomeOfCode, type VendorError } from '../vendor-codes.ts';
import { readCode } from './codes.ts';

type Succeeded = Extract<PollOutcome, { type: 'succeeded' }>;

/** `GET /v1/query/video_generation`. A finished job has a `file_id` and no address, so no artefact is read here. */
export function readFirstVersion(body: JsonRecord, response: UpstreamResponse): PollOutcome {
  const error = readCode(body);
  const status = statusOf(body.status);
  if (status === undefined) return withoutStatus(body, response, error);
  if (status.meaning === 'succeeded')
    return { type: 'succeeded', artefacts: [], status: status.raw, raw: body };
  if (status.meaning === 'failed') return failedBy(body, status, error);
  return unfinished(body, status, response);
}

/** `GET /v1/files/retrieve`: the third hop, asked anew for a fresh address whenever one has expired. */
export function readFile(body: JsonRecord, response: UpstreamResponse, success: Succeeded): PollOutcome {
  const url = valueAt(body, 'file.download_url');
  if (isHttpUrl(url))
    return { ...success, artefacts: [{ type: 'url', url }], raw: { job: success.raw, file: body } };
  const error = readCode(body);
  const isAboutFile = error === undefined || error.meaning === 'request' || error.meaning === 'missing';
  return isAboutFile ? success : pollOutcomeOfCode(error, response);
}

/** `GET /v2/query/video_generation/{id}`: everything in one answer below `task`. */
export function readSecondVersion(body: JsonRecord, response: UpstreamResponse): PollOutcome {
  const task = asRecord(body.task) ?? body;
  const status = statusOf(task.status);
  if (status === undefined) return withoutStatus(body, response, readCode(body));
  if (status.meaning === 'succeeded') {
    const seconds = asNumber(task.duration);
    return {
      type: 'succeeded',
      artefacts: readResultUrls({ url: valueAt(task, 'content.url') }).map((url) => ({ type: 'url', url })),
      usage: seconds !== undefined && seconds > 0 ? { units: seconds } : undefined,
      status: status.raw,
      raw: body,
    };
  }
  if (status.meaning === 'failed') return failedBy(task, status, undefined);
  return unfinished(body, status, response);
}

function statusOf(word: unknown): StatusReading | undefined {
  const isWord = (typeof word === 'string' && word.trim() !== '') || typeof word === 'number';
  return isWord ? readStatusWord(word) : undefined;
}

/** The content codes are a verdict of their own: a query brings no content that could be refused, so it is the job's. */
function withoutStatus(
  body: JsonRecord,
  response: UpstreamResponse,
  error: VendorError | undefined,
): PollOutcome {
  if (error?.meaning === 'moderated') {
    const reason = error.message || 'The upstream’s content rules stopped this generation.';
    return { type: 'failed', code: error.code, reason, moderated: true, status: '', raw: body };
  }
  if (error) return pollOutcomeOfCode(error, response);
  const envelope = readErrorEnvelope(body);
  if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  return { type: 'pending', status: '', known: false, retryAfterMs: response.retryAfterMs };
}

function failedBy(body: JsonRecord, status: StatusReading, error: VendorError | undefined): PollOutcome {
  const outcome = failedOutcome(body, status);
  if (!error) return outcome;
  const moderated = outcome.moderated === true || error.meaning === 'moderated';
  return { ...outcome, code: error.code, reason: error.message || outcome.reason, moderated };
}

function unfinished(body: JsonRecord, status: StatusReading, response: UpstreamResponse): PollOutcome {
  if (status.meaning === 'cancelled') return { type: 'cancelled', status: status.raw, raw: body };
  return {
    type: 'pending',
    status: status.raw,
    known: status.meaning !== undefined,
    retryAfterMs: response.retryAfterMs,
  };
}
