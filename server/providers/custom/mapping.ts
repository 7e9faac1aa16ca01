import { fileTypeFromBuffer } from 'file-type';
import {
  isModerated,
  pollOutcomeOfEnvelope,
  readErrorEnvelope,
  readNegative,
  rejectedBy,
  uncertainAnswer,
} from '../error-envelope.ts';
import { decodeBase64, decodeDataUri } from '../inline-media.ts';
import { failedOutcome, textArtefacts } from '../job-reading.ts';
import { isHttpUrl, type JsonRecord } from '../json.ts';
import type {
  ArtefactRef,
  CallContext,
  CreateOutcome,
  CreateRequest,
  PollOutcome,
  UpstreamResponse,
} from '../provider.ts';
import { pollDelayOf } from '../retry-after.ts';
import {
  holds,
  readError,
  readId,
  readProgress,
  readResults,
  readRetryAfter,
  readStatus,
} from './read-answer.ts';
import type { CustomSettings } from './schemas.ts';

const SNIFF_BYTES = 64_000;

type Answer = { response: UpstreamResponse; body: JsonRecord };

/** A refusal in the words of the description; undefined where these are not in the answer. */
export function refusalIn(
  settings: CustomSettings,
  { response, body }: Answer,
  now: Date,
): CreateOutcome | undefined {
  const said = readError(settings, body);
  // A 429 says by its status alone that nothing was started, unless the words name a quota.
  const refusal = said ?? (response.status === 429 ? { code: '', message: '' } : undefined);
  if (!refusal) return undefined;
  const outcome = rejectedBy({ ...refusal, type: '' }, response, body);
  return outcome.type === 'rate_limited'
    ? { ...outcome, retryAfterMs: outcome.retryAfterMs ?? readRetryAfter(settings, body, now) }
    : outcome;
}

/**
 * Reads the 2xx answer of a create. Only what the description calls a refusal is one; whatever it does not foresee is
 * uncertain, because the vendor may hold a job.
 */
export async function createOutcomeOf(
  settings: CustomSettings,
  request: CreateRequest,
  { response, body }: Answer,
  ctx: CallContext,
): Promise<CreateOutcome> {
  const id = settings.poll ? readId(body, settings.fields.id) : undefined;
  if (settings.refused && holds(settings.refused, body)) {
    // An answer that refuses and names a job says two things at once.
    if (id !== undefined) return uncertainAnswer(response, 'refused_with_id');
    const said = readError(settings, body) ?? readNegative(body) ?? { code: '', message: '' };
    const outcome = rejectedBy({ type: '', ...said }, response, body);
    return outcome.type === 'rate_limited'
      ? { ...outcome, retryAfterMs: outcome.retryAfterMs ?? readRetryAfter(settings, body, ctx.now()) }
      : outcome;
  }
  if (settings.accepted && !holds(settings.accepted, body)) return uncertainAnswer(response, 'not_accepted');
  if (settings.poll) {
    if (id === undefined) return uncertainAnswer(response, 'no_id');
    return { type: 'accepted', upstreamId: id, pollRef: { id, endpoint: request.endpoint }, raw: body };
  }
  return resultOfCreate(settings, { response, body }, ctx);
}

async function resultOfCreate(
  settings: CustomSettings,
  { response, body }: Answer,
  ctx: CallContext,
): Promise<CreateOutcome> {
  const status = readStatus(settings, body);
  if (status.meaning === 'failed') {
    const { code, reason, moderated } = failureOf(settings, body);
    return { type: 'rejected', code, message: reason, scope: 'request', moderated, raw: body };
  }
  const artefacts = await artefactsOf(settings, body, ctx);
  return artefacts.length === 0
    ? uncertainAnswer(response, 'no_artefacts')
    : { type: 'done', artefacts, raw: body };
}

/** A create whose answer is the file itself. Bytes are believed only by their own signature. */
export async function fileOutcome(
  request: CreateRequest,
  response: UpstreamResponse,
  ctx: CallContext,
): Promise<CreateOutcome> {
  const bytes = await response.bytes();
  if (request.kind === 'text') {
    const isText = /^text\/(plain|markdown)$/.test(response.contentType);
    const artefacts = isText ? await textArtefacts([await response.text()], ctx) : [];
    return artefacts.length > 0
      ? { type: 'done', artefacts, raw: { contentType: response.contentType } }
      : uncertainAnswer(response, 'not_text');
  }
  const sniffed = await fileTypeFromBuffer(bytes.subarray(0, SNIFF_BYTES)).catch(() => undefined);
  const mime = sniffed?.mime ?? '';
  const isOfKind =
    mime.startsWith(`${request.kind}/`) ||
    (request.kind === 'audio' && /^(application\/ogg|video\/mp4)/.test(mime));
  if (!isOfKind) return uncertainAnswer(response, `not_${request.kind}`);
  const raw = { contentType: response.contentType, bytes: bytes.byteLength };
  return { type: 'done', artefacts: [await ctx.keep(0, bytes, mime)], raw };
}

/** Reads a 2xx poll. `finish` fetches the result where that is a second call. */
export async function pollOutcomeOf(
  settings: CustomSettings,
  { response, body }: Answer,
  ctx: CallContext,
  finish: (found: JsonRecord) => Promise<{ artefacts: ArtefactRef[] } | { outcome: PollOutcome }>,
): Promise<PollOutcome> {
  const status = readStatus(settings, body);
  if (!status.present) {
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  switch (status.meaning) {
    case 'succeeded': {
      const finished = await finish(body);
      if ('outcome' in finished) return finished.outcome;
      return { type: 'succeeded', artefacts: finished.artefacts, status: status.raw, raw: body };
    }
    case 'failed':
      return failureOf(settings, body);
    case 'cancelled':
      return { type: 'cancelled', status: status.raw, raw: body };
    default:
      return {
        type: 'pending',
        status: status.raw,
        known: status.meaning !== undefined,
        progress: readProgress(settings, body),
        retryAfterMs: readRetryAfter(settings, body, ctx.now()) ?? pollDelayOf(response),
      };
  }
}

/** Only an explicit failure of the job is a verdict in an answer other than 2xx. */
export function verdictIn(settings: CustomSettings, body: JsonRecord): PollOutcome | undefined {
  return readStatus(settings, body).meaning === 'failed' ? failureOf(settings, body) : undefined;
}

function failureOf(settings: CustomSettings, body: JsonRecord): Extract<PollOutcome, { type: 'failed' }> {
  const status = readStatus(settings, body);
  const usual = failedOutcome(body, status);
  const said = readError(settings, body);
  const code = said?.code || usual.code;
  const reason = said?.message || usual.reason;
  const moderated = usual.moderated === true || isModerated({ code, type: '', message: reason });
  return { ...usual, code, reason, moderated };
}

/** Addresses as they are; bytes and long texts go to storage. Entries that are neither are left out. */
export async function artefactsOf(
  settings: CustomSettings,
  body: JsonRecord,
  ctx: CallContext,
): Promise<ArtefactRef[]> {
  const found = readResults(settings, body, ctx.baseUrl);
  if (settings.fields.encoding === 'text') return textArtefacts(found, ctx);
  const artefacts: ArtefactRef[] = [];
  for (const value of found) {
    const bytes = settings.fields.encoding === 'base64' ? decodeBase64(value) : decodeDataUri(value);
    if (bytes) artefacts.push(await ctx.keep(artefacts.length, bytes));
    else if (isHttpUrl(value)) artefacts.push({ type: 'url', url: value });
  }
  return artefacts;
}
