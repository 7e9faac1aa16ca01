import type { ErrorEnvelope } from '../error-envelope.ts';
import { isModerated } from '../error-envelope.ts';
import { decodeDataUri } from '../inline-media.ts';
import { readResultUrls } from '../job-reading.ts';
import { asArray, asRecord, asText, firstText, type JsonRecord } from '../json.ts';
import type { ArtefactRef, CallContext, CreateOutcome, PollOutcome, UpstreamResponse } from '../provider.ts';

const MAX_OUTPUTS = 32;
/** Where models put what they made, by the kind that was ordered. */
const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  image: ['images', 'image', 'output', 'data'],
  video: ['video', 'videos', 'output', 'data'],
  audio: ['audio', 'audio_file', 'audio_url', 'audios', 'output', 'data'],
};

/**
 * An error of a model (a list of typed objects) or of the platform (a sentence and `error_type`), whatever the status.
 * Undefined when the answer states none.
 */
export function readFalError(
  body: JsonRecord | undefined,
  response: UpstreamResponse,
): ErrorEnvelope | undefined {
  const message = firstText(body, ['detail.0.msg', 'detail.message', 'detail', 'error', 'message']);
  const code =
    firstText(body, ['detail.0.type', 'error_type']) ?? response.header('x-fal-error-type')?.slice(0, 100);
  if (message === undefined && code === undefined) return undefined;
  return { code: code ?? '', type: '', message: message ?? 'The model failed without a reason.' };
}

export function failedBy(envelope: ErrorEnvelope, status: string, raw: JsonRecord | undefined): PollOutcome {
  // A request that was cancelled completes like a failed one.
  if (/cancelled$/.test(envelope.code) || /^request was cancell?ed/i.test(envelope.message))
    return { type: 'cancelled', status, raw };
  return {
    type: 'failed',
    code: envelope.code || 'upstream_failed',
    reason: envelope.message,
    moderated: isModerated(envelope),
    status,
    raw,
  };
}

/** A model's payload. Images that the model's own filter has blackened are no result, although they are there. */
export async function readPayload(
  payload: JsonRecord,
  endpoint: string,
  ctx: CallContext,
): Promise<PollOutcome> {
  const items = outputItems(payload, endpoint).slice(0, MAX_OUTPUTS);
  const flags = payload.has_nsfw_concepts;
  const isBlack = (index: number) => flags === true || asArray(flags)[index] === true;
  const artefacts: ArtefactRef[] = [];
  for (const [index, item] of items.entries()) {
    if (endpoint === 'image' && isBlack(index)) continue;
    const bytes = decodeDataUri(asText(asRecord(item)?.url) ?? asText(item));
    const [url] = bytes ? [] : readResultUrls({ output: item });
    if (bytes) artefacts.push(await ctx.keep(artefacts.length, bytes));
    else if (url !== undefined) artefacts.push({ type: 'url', url });
  }
  const isFiltered =
    endpoint === 'image' && items.length > 0 && items.every((_item, index) => isBlack(index));
  if (isFiltered) {
    return {
      type: 'failed',
      code: 'nsfw_filtered',
      reason: "The model's content filter withheld every image.",
      moderated: true,
      status: 'COMPLETED',
      raw: payload,
    };
  }
  return { type: 'succeeded', artefacts, status: 'COMPLETED', raw: payload };
}

function outputItems(payload: JsonRecord, endpoint: string): readonly unknown[] {
  for (const name of OUTPUTS[endpoint] ?? []) {
    const value = payload[name];
    if (Array.isArray(value) && value.length > 0) return value;
    if (typeof value === 'string' || asRecord(value)) return [value];
  }
  return readResultUrls(payload);
}

/** An application that nobody knows here may be known on another account. */
export function scoped(outcome: CreateOutcome): CreateOutcome {
  return outcome.type === 'rejected' && outcome.code === 'http_404'
    ? { ...outcome, code: 'model_not_found', scope: 'account' }
    : outcome;
}
