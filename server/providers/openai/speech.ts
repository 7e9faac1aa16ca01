import { fileTypeFromBuffer } from 'file-type';
import { parseLosslessJson } from '../lossless-json.ts';
import type { CallContext, CreateOutcome, CreateRequest } from '../provider.ts';
import { postCreate } from './client.ts';
import { readNegative, rejectedBy, uncertainAnswer } from './errors.ts';
import { refuseReferences, wireParams } from './parameters.ts';

const SNIFF_BYTES = 64_000;

/** `POST /audio/speech`: answers with the bytes themselves; there is no id and nothing to look up. */
export async function createSpeech(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, () => false);
  if (refusal) return refusal;
  if (request.params.response_format === 'pcm') {
    // Headerless samples cannot be told from noise, so they could never be proven to be audio.
    return {
      type: 'rejected',
      code: 'unsupported_format',
      message: 'Choose mp3, wav, opus, aac or flac: raw PCM cannot be checked.',
    };
  }
  const sent = await postCreate(ctx, '/audio/speech', {
    json: { model: request.model, input: request.prompt, ...wireParams(request.params) },
  });
  if ('outcome' in sent) return sent.outcome;

  const { response } = sent;
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
