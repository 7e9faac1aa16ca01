import { audioAnswer } from '../audio-answer.ts';
import { sendCreate } from '../calls.ts';
import type { CallContext, CreateOutcome, CreateRequest } from '../provider.ts';
import { refuseReferences, wireParams } from '../request-params.ts';
import { apiUrl } from './client.ts';

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
  const sent = await sendCreate(ctx, apiUrl(ctx.baseUrl, '/audio/speech'), {
    json: { model: request.model, input: request.prompt, ...wireParams(request.params) },
  });
  return 'outcome' in sent ? sent.outcome : audioAnswer(sent.response, ctx);
}
