import { fileTypeFromBuffer } from 'file-type';
import { readNegative, rejectedBy, uncertainAnswer } from './error-envelope.ts';
import { parseLosslessJson } from './lossless-json.ts';
import type { CallContext, CreateOutcome, UpstreamResponse } from './provider.ts';

const SNIFF_BYTES = 64_000;

/**
 * Outcome of a create that answers with the sound itself: there is no id and nothing to look up. Bytes are kept only
 * when they are audio by their own signature, because gateways send error pages with `audio/mpeg` too.
 */
export async function audioAnswer(response: UpstreamResponse, ctx: CallContext): Promise<CreateOutcome> {
  const bytes = await response.bytes();
  const sniffed = bytes.byteLength > 0 ? await sniff(bytes) : undefined;
  const mayBeAudio = /^(audio\/|application\/(octet-stream|ogg)|video\/mp4|$)/.test(response.contentType);
  if (mayBeAudio && sniffed && isAudio(sniffed)) {
    return {
      type: 'done',
      artefacts: [await ctx.keep(0, bytes, sniffed)],
      raw: { contentType: response.contentType, bytes: bytes.byteLength },
    };
  }
  const isJson = response.contentType.endsWith('json') || bytes[0] === 0x7b;
  const negative = isJson ? readNegative(parseLosslessJson(await response.text())) : undefined;
  if (negative) return rejectedBy(negative, response, await response.json());
  if (sniffed)
    return {
      type: 'uncertain',
      evidence: { reason: 'not_audio', status: response.status, contentType: response.contentType, sniffed },
    };
  return uncertainAnswer(response, bytes.byteLength === 0 ? 'empty' : 'not_audio');
}

async function sniff(bytes: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(bytes.subarray(0, SNIFF_BYTES)))?.mime;
  } catch {
    return undefined;
  }
}

function isAudio(mime: string): boolean {
  return mime.startsWith('audio/') || mime.startsWith('application/ogg') || mime === 'video/mp4';
}
