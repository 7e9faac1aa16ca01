import { sendJsonCreate } from '../calls.ts';
import { uncertainAnswer } from '../error-envelope.ts';
import { decodeBase64 } from '../inline-media.ts';
import { asArray } from '../json.ts';
import type { ArtefactRef, CallContext, CreateOutcome, CreateRequest, Usage } from '../provider.ts';
import { isImage, refuseReferences } from '../request-params.ts';
import { imageBody, modelUrl } from './client.ts';
import { negativeOf, refusalOf } from './errors.ts';
import { withoutBytes } from './mapping.ts';
import { type ContentAnswer, candidate, contentAnswer, contentPart } from './schemas.ts';

const MAX_IMAGES = 32;
/** Finish reasons that are content decisions. */
const MODERATED =
  /^(IMAGE_)?(SAFETY|PROHIBITED_CONTENT|RECITATION)$|^(BLOCKLIST|SPII|MODEL_ARMOR|JAILBREAK)$/;
/** Finish reasons of an answer that is complete and simply holds no picture. */
const FINISHED =
  /^(STOP|MAX_TOKENS|LANGUAGE|OTHER|NO_IMAGE|IMAGE_OTHER|MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL)$/;

/** `POST /models/{model}:generateContent`. Synchronous, without an id; images come as base64 among the parts. */
export async function createImage(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImage);
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, modelUrl(ctx.baseUrl, request.model, 'generateContent'), {
    json: await imageBody(request),
    refusalOf,
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const answer = contentAnswer.parse(body);
  const artefacts = await readImages(answer, ctx);
  const raw = withoutBytes(body);
  if (artefacts.length > 0) return { type: 'done', artefacts, usage: usageOf(answer), raw };
  return (
    refusedPrompt(answer, raw) ??
    emptyAnswer(answer, raw) ??
    negativeOf(body, response) ??
    uncertainAnswer(response, 'no_artefacts')
  );
}

/** All images of all candidates, in order. A candidate that was blocked is left out, the others are delivered. */
async function readImages(answer: ContentAnswer, ctx: CallContext): Promise<ArtefactRef[]> {
  const artefacts: ArtefactRef[] = [];
  for (const part of candidatesOf(answer).flatMap(({ parts }) => parts)) {
    if (part.thought || artefacts.length === MAX_IMAGES) continue;
    const bytes = decodeBase64(part.inlineData?.data);
    if (bytes) artefacts.push(await ctx.keep(artefacts.length, bytes, part.inlineData?.mimeType));
  }
  return artefacts;
}

function candidatesOf(answer: ContentAnswer) {
  return asArray(answer.candidates).flatMap((item) => {
    const { data } = candidate.safeParse(item);
    if (!data) return [];
    const parts = asArray(data.content?.parts).flatMap((part) => {
      const parsed = contentPart.safeParse(part);
      return parsed.success ? [parsed.data] : [];
    });
    return [{ ...data, parts }];
  });
}

/** The prompt itself was blocked: no candidate was made. */
function refusedPrompt({ promptFeedback }: ContentAnswer, raw: unknown): CreateOutcome | undefined {
  const reason = promptFeedback?.blockReason;
  if (!reason) return undefined;
  const message =
    promptFeedback.blockReasonMessage || `The upstream refused the description for its content (${reason}).`;
  return { type: 'rejected', code: reason, message, moderated: true, raw };
}

/** Every candidate is finished without an image. The call is synchronous, so nothing goes on behind such an answer. */
function emptyAnswer(answer: ContentAnswer, raw: unknown): CreateOutcome | undefined {
  const ended = candidatesOf(answer);
  const first =
    ended.find(({ finishReason }) => MODERATED.test(finishReason ?? '')) ??
    ended.find(({ finishReason }) => FINISHED.test(finishReason ?? ''));
  const reason = first?.finishReason;
  if (!first || !reason) return undefined;
  const moderated = MODERATED.test(reason);
  const said =
    first.finishMessage ||
    first.parts
      .map((part) => part.text ?? '')
      .join(' ')
      .trim();
  const message =
    said ||
    (moderated
      ? `The upstream withheld the image for its content (${reason}).`
      : `The upstream answered without an image (${reason}). Describe an image and try again.`);
  return { type: 'rejected', code: moderated ? reason : 'no_image', message, moderated, raw };
}

function usageOf({ usageMetadata }: ContentAnswer): Usage | undefined {
  if (!usageMetadata) return undefined;
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = usageMetadata;
  if (promptTokenCount === undefined && candidatesTokenCount === undefined) return undefined;
  return {
    inputTokens: promptTokenCount,
    outputTokens: (candidatesTokenCount ?? 0) + (thoughtsTokenCount ?? 0),
  };
}
