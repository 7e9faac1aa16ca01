import { sendJsonCreate } from '../calls.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { decodeHex } from '../inline-media.ts';
import { asRecord, isHttpUrl, type JsonRecord } from '../json.ts';
import type { ArtefactRef, CallContext, CreateOutcome, CreateRequest } from '../provider.ts';
import { refuseReferences } from '../request-params.ts';
import { createOutcomeOfCode } from '../vendor-codes.ts';
import { minimaxUrl, musicBody, speechBody } from './client.ts';
import { readCode, refusalOf } from './codes.ts';

/** `POST /v1/t2a_v2` and `POST /v1/music_generation`: synchronous, the sound is hexadecimal text in the answer. */
export async function createSound(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, () => false);
  if (refusal) return refusal;
  if (request.params.format === 'pcm' || request.params.response_format === 'pcm') {
    return {
      type: 'rejected',
      code: 'unsupported_format',
      message: 'Choose mp3, wav or flac: raw PCM cannot be checked.',
    };
  }
  const isMusic = request.endpoint === 'music';
  const sent = await sendJsonCreate(
    ctx,
    minimaxUrl(ctx.baseUrl, 'v1', isMusic ? '/music_generation' : '/t2a_v2'),
    { json: isMusic ? musicBody(request) : speechBody(request), refusalOf },
  );
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const artefact = await soundOf(body, ctx);
  // The sound is there, whatever else the answer says.
  if (artefact) return { type: 'done', artefacts: [artefact], raw: withoutSound(body) };
  const error = readCode(body);
  if (error) return createOutcomeOfCode(error, response, body);
  const negative = readNegative(body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_audio');
}

async function soundOf(body: JsonRecord, ctx: CallContext): Promise<ArtefactRef | undefined> {
  const audio = asRecord(body.data)?.audio;
  if (typeof audio !== 'string') return undefined;
  if (isHttpUrl(audio)) return { type: 'url', url: audio };
  const bytes = decodeHex(audio);
  return bytes ? ctx.keep(0, bytes) : undefined;
}

function withoutSound(body: JsonRecord): JsonRecord {
  return { ...body, data: { ...asRecord(body.data), audio: '[stored]' } };
}
