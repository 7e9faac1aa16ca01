import { isModerated } from '../error-envelope.ts';
import { decodeBase64 } from '../inline-media.ts';
import { asArray, asRecord, asText, isHttpUrl, type JsonRecord, valueAt } from '../json.ts';
import type { ArtefactRef, CallContext, PollOutcome } from '../provider.ts';
import { originOf } from '../request-parts.ts';
import { rpcCode } from './errors.ts';
import { operation, videoResponse, videoSample } from './schemas.ts';

const STATUS = { running: 'running', done: 'done' } as const;
const MAX_SAMPLES = 32;
/** Fields that hold media as base64, wherever they are. */
const MEDIA_FIELDS = new Set(['bytesBase64Encoded', 'encodedVideo', 'data']);

/** Reads an operation: not `done` is running, `error` is a failure, and a filtered result is a content decision. */
export async function readOperation(body: JsonRecord, ctx: CallContext): Promise<PollOutcome> {
  const { name, done, error, response } = operation.parse(body);
  if (done !== true) {
    const isOperation = name !== undefined && (done === undefined || done === false);
    return { type: 'pending', status: STATUS.running, known: isOperation };
  }
  const raw = withoutBytes(body);
  if (error) return operationError(error, raw);

  const found = asRecord(valueAt(response, 'generateVideoResponse')) ?? response ?? {};
  const { generatedSamples, raiMediaFilteredCount, raiMediaFilteredReasons } = videoResponse.parse(found);
  const artefacts = await readSamples(asArray(generatedSamples), ctx);
  const reasons = asArray(raiMediaFilteredReasons).flatMap((reason) => asText(reason) ?? []);
  if (artefacts.length === 0 && (reasons.length > 0 || (raiMediaFilteredCount ?? 0) > 0)) {
    const reason = reasons.join(' ') || 'The upstream withheld the video for its content.';
    return { type: 'failed', code: 'rai_filtered', reason, moderated: true, status: STATUS.done, raw };
  }
  return { type: 'succeeded', artefacts, status: STATUS.done, raw };
}

function operationError(error: JsonRecord, raw: unknown): PollOutcome {
  const code = rpcCode(error);
  if (code === 'CANCELLED') return { type: 'cancelled', status: code, raw };
  const message = asText(error.message) ?? '';
  return {
    type: 'failed',
    code: code || 'upstream_failed',
    reason: message || 'The upstream reported a failure without a reason.',
    moderated: isModerated({ code, type: '', message }),
    status: STATUS.done,
    raw,
  };
}

/** Addresses need the key; samples without address or bytes are left out. */
async function readSamples(samples: readonly unknown[], ctx: CallContext): Promise<ArtefactRef[]> {
  const artefacts: ArtefactRef[] = [];
  for (const sample of samples.slice(0, MAX_SAMPLES)) {
    const video = videoSample.safeParse(sample).data?.video;
    const mime = video?.mimeType ?? video?.encoding;
    if (isHttpUrl(video?.uri)) {
      artefacts.push({ type: 'url', url: mediaUrl(video.uri, ctx.baseUrl), mime, authenticated: true });
      continue;
    }
    const bytes = decodeBase64(video?.encodedVideo ?? video?.bytesBase64Encoded);
    if (bytes) artefacts.push(await ctx.keep(artefacts.length, bytes, mime));
  }
  return artefacts;
}

/** The file's bytes instead of its description, which the same address gives without `alt=media`. */
function mediaUrl(uri: string, baseUrl: string): string {
  const url = new URL(uri);
  if (url.origin !== originOf(baseUrl) || url.searchParams.has('alt')) return uri;
  url.searchParams.set('alt', 'media');
  return url.href;
}

/** A copy for the database, in which stored media are named and not repeated. */
export function withoutBytes(value: unknown, depth = 0): unknown {
  if (depth > 12) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => withoutBytes(item, depth + 1));
  const record = asRecord(value);
  if (!record) return value;
  return Object.fromEntries(
    Object.entries(record).map(([key, item]) =>
      MEDIA_FIELDS.has(key) && typeof item === 'string'
        ? [key, '[stored]']
        : [key, withoutBytes(item, depth + 1)],
    ),
  );
}
