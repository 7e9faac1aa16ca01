import { isModerated, readErrorEnvelope } from './error-envelope.ts';
import { asArray, asNumber, asRecord, firstText, isHttpUrl, type JsonRecord, valueAt } from './json.ts';
import { normaliseProgress } from './progress.ts';
import type { ArtefactRef, CallContext, PollOutcome, UpstreamResponse, Usage } from './provider.ts';
import { pollDelayOf } from './retry-after.ts';
import { storable } from './sanitize.ts';
import type { UsageObject } from './schemas.ts';
import { readStatusWord, type StatusReading } from './status-words.ts';
import { readUpstreamId } from './upstream-id.ts';

/** Texts above this size are files. */
const MAX_INLINE_TEXT_BYTES = 256_000;
const GENERIC_FAILURE = 'The upstream reported a failure without a reason.';

/** Where gateways put a job's id, in the order to be believed. */
const ID_PATHS = [
  'id',
  'task_id',
  'taskId',
  'data.id',
  'data.task_id',
  'data.taskId',
  'data.0.task_id',
  'data.0.id',
  'data',
  'result',
];
/** A payload's own status comes before the envelope's: `{status: "success", data: {status: "running"}}` is running. */
const STATUS_PATHS = [
  'data.task_status',
  'data.status',
  'data.state',
  'output.task_status',
  'output.status',
  'task_status',
  'status',
  'state',
  'data.data.status',
];
const PROGRESS_PATHS = ['progress', 'data.progress', 'output.progress'];
const URL_PATHS = [
  'result_url',
  'data.result_url',
  'video_url',
  'data.video_url',
  'url',
  'data.url',
  'metadata.url',
  'data.metadata.url',
  'output',
  'data.output',
  'content.video_url',
  'data.content.video_url',
  'task_result.videos',
  'data.task_result.videos',
  'task_result.images',
  'data.task_result.images',
  'videos',
  'data.videos',
  'video',
  'data.video',
  'data',
  'results',
  'data.results',
  'output.results',
  'assets',
  'generatedSamples',
  'resultUrls',
  'data.resultUrls',
  'data.data',
];
const REASON_PATHS = [
  'error.message',
  'data.error.message',
  'output.message',
  'fail_reason',
  'data.fail_reason',
  'failReason',
  'data.failReason',
  'failure_reason',
  'data.failure_reason',
  'failure',
  'task_status_msg',
  'data.task_status_msg',
  'error',
  'data.error',
  'message',
];
const CODE_PATHS = [
  'error.code',
  'data.error.code',
  'output.code',
  'failure_code',
  'failureCode',
  'error.type',
  'data.error.type',
];

export function readJobId(body: JsonRecord): string | undefined {
  for (const path of ID_PATHS) {
    const id = readUpstreamId(valueAt(body, path));
    if (id !== undefined) return id;
  }
  return undefined;
}

/** The job's status word, wherever it is; `present` false when the answer has none at all. */
export function readJobStatus(body: JsonRecord): StatusReading & { present: boolean } {
  for (const path of STATUS_PATHS) {
    const value = valueAt(body, path);
    const isWord = typeof value === 'string' || (typeof value === 'number' && value < 100);
    if (!isWord) continue;
    const reading = readStatusWord(value);
    if (reading.meaning === 'failed' && isOfTheAnswer(body, path, reading)) break;
    return { ...reading, present: true };
  }
  return { ...readStatusWord(undefined), present: false };
}

/** The words in which an answer, not a job, says that it went wrong (JSend and its relatives). */
const ANSWER_WORDS = /^(error|fail|timeout|timed[_ -]?out)$/i;

/** `{status: "error", message: "Too many requests"}` is about this question: it names no job. */
function isOfTheAnswer(body: JsonRecord, path: string, { raw }: StatusReading): boolean {
  if (path.includes('.') || readJobId(body) !== undefined) return false;
  return body.success === false || body.success === 'false' || ANSWER_WORDS.test(raw);
}

export function readJobProgress(body: JsonRecord): number | undefined {
  for (const path of PROGRESS_PATHS) {
    const progress = normaliseProgress(valueAt(body, path));
    if (progress !== undefined) return progress;
  }
  return undefined;
}

/** Result addresses of a finished job. Old gateways put the address into `fail_reason`. */
export function readResultUrls(body: JsonRecord): string[] {
  for (const path of URL_PATHS) {
    const urls = urlsIn(valueAt(body, path));
    if (urls.length > 0) return urls;
  }
  const misplaced = firstText(body, ['fail_reason', 'data.fail_reason']);
  return isHttpUrl(misplaced) ? [misplaced] : [];
}

function urlsIn(value: unknown): string[] {
  if (isHttpUrl(value)) return [value];
  if (Array.isArray(value))
    return [...new Set(value.slice(0, 32).flatMap((item) => urlsIn(item).slice(0, 1)))];
  const record = asRecord(value);
  if (!record) return [];
  const url = [
    record.url,
    record.video_url,
    record.result_url,
    record.uri,
    valueAt(record, 'video.uri'),
    record.video,
  ].find(isHttpUrl);
  return url ? [url] : [];
}

/**
 * What a poll found, by the job's status word. An unknown word is not a verdict. `read` tells what each protocol keeps
 * in places of its own; it is called only when the job has succeeded or failed.
 */
export function jobOutcome(
  body: JsonRecord,
  status: StatusReading,
  response: UpstreamResponse,
  read: {
    artefacts(): ArtefactRef[];
    usage?(): Usage | undefined;
    /** Credits of the vendor that an ended job took, whatever its end. */
    vendorCredits?(): number | undefined;
    failed?(): PollOutcome;
    progress?: number;
    /** The word is unknown, but the answer says otherwise that the job goes on. */
    goesOn?: boolean;
  },
): PollOutcome {
  switch (status.meaning) {
    case 'succeeded':
      return {
        type: 'succeeded',
        artefacts: read.artefacts(),
        usage: withTaken(read.usage?.(), read.vendorCredits?.()),
        status: status.raw,
        raw: body,
      };
    case 'failed':
      return { ...(read.failed?.() ?? failedOutcome(body, status)), ...takenOf(read.vendorCredits?.()) };
    case 'cancelled':
      return { type: 'cancelled', status: status.raw, raw: body, ...takenOf(read.vendorCredits?.()) };
    default:
      return {
        type: 'pending',
        status: status.raw,
        known: status.meaning !== undefined || read.goesOn === true,
        progress: read.progress,
        retryAfterMs: pollDelayOf(response),
      };
  }
}

const withTaken = (usage: Usage | undefined, vendorCredits: number | undefined): Usage | undefined =>
  vendorCredits === undefined ? usage : { ...usage, vendorCredits };

const takenOf = (vendorCredits: number | undefined): { usage?: Usage } =>
  vendorCredits === undefined ? {} : { usage: { vendorCredits } };

/** Result addresses as artefacts to be fetched. */
export function urlArtefacts(body: JsonRecord): ArtefactRef[] {
  return readResultUrls(body).map((url) => ({ type: 'url', url }));
}

/** A failed job. Errors come as object, text, array or not at all; none of these may hide the verdict. */
export function failedOutcome(
  body: JsonRecord,
  status: StatusReading,
): Extract<PollOutcome, { type: 'failed' }> {
  const envelope = readErrorEnvelope(body) ?? readErrorEnvelope(body.data);
  const reason = firstText(body, REASON_PATHS) ?? envelope?.message;
  const code = firstText(body, CODE_PATHS) ?? envelope?.code;
  const moderated =
    status.moderated || isModerated({ code: code ?? '', type: envelope?.type ?? '', message: reason ?? '' });
  return {
    type: 'failed',
    code: code || 'upstream_failed',
    reason: reason || GENERIC_FAILURE,
    moderated,
    status: status.raw,
    raw: body,
  };
}

/** Text results in order, empty ones left out; long ones go to storage. */
export async function textArtefacts(texts: readonly string[], ctx: CallContext): Promise<ArtefactRef[]> {
  const artefacts: ArtefactRef[] = [];
  for (const found of texts) {
    if (found.trim() === '') continue;
    const text = storable(found);
    const bytes = Buffer.byteLength(text);
    artefacts.push(
      bytes > MAX_INLINE_TEXT_BYTES
        ? await ctx.keep(artefacts.length, Buffer.from(text), 'text/plain')
        : { type: 'text', text },
    );
  }
  return artefacts;
}

export function tokenUsage(usage: UsageObject): Usage | undefined {
  if (!usage) return undefined;
  const inputTokens = usage.input_tokens ?? usage.prompt_tokens;
  const outputTokens = usage.output_tokens ?? usage.completion_tokens;
  return inputTokens === undefined && outputTokens === undefined ? undefined : { inputTokens, outputTokens };
}

/** Seconds that upstream says it delivered: what is billed, whatever was ordered. */
export function deliveredSeconds(body: JsonRecord): Usage | undefined {
  const seconds = asNumber(
    valueAt(body, 'seconds') ?? valueAt(body, 'data.seconds') ?? valueAt(body, 'metadata.duration'),
  );
  return seconds !== undefined && seconds > 0 ? { units: seconds } : undefined;
}

/** Raw bodies without the media that was already stored. */
export function withoutMedia(body: JsonRecord): JsonRecord {
  return {
    ...body,
    data: asArray(body.data).map((item) => {
      const record = asRecord(item);
      return record?.b64_json === undefined ? item : { ...record, b64_json: '[stored]' };
    }),
  };
}
