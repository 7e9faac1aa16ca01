import { sendJsonCreate } from '../calls.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { decodeBase64, decodeDataUri } from '../inline-media.ts';
import { tokenUsage, withoutMedia } from '../job-reading.ts';
import { asArray, isHttpUrl } from '../json.ts';
import type { ArtefactRef, CallContext, CreateOutcome, CreateRequest } from '../provider.ts';
import { isImage, refuseReferences, toForm, wireParams } from '../request-params.ts';
import { apiUrl } from './client.ts';
import { imageItem, imagesAnswer } from './schemas.ts';

/** An upstream that sends more is not believed. */
const MAX_IMAGES = 32;

/** `POST /images/generations`, or `/images/edits` when reference images are given. Synchronous, without an id. */
export async function createImages(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImage);
  if (refusal) return refusal;
  const isDallE = request.model.startsWith('dall-e');
  const fields = {
    model: request.model,
    prompt: request.prompt,
    // Only DALL·E knows the field; the GPT image models always answer in base64.
    ...(isDallE ? { response_format: 'b64_json' } : {}),
    ...wireParams(request.params, isDallE ? [] : ['response_format']),
  };
  const name = request.references.length > 1 ? 'image[]' : 'image';
  const sent =
    request.references.length === 0
      ? await sendJsonCreate(ctx, apiUrl(ctx.baseUrl, '/images/generations'), { json: fields })
      : await sendJsonCreate(ctx, apiUrl(ctx.baseUrl, '/images/edits'), {
          form: await toForm(
            fields,
            request.references.map((file) => ({ name, file })),
          ),
        });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const answer = imagesAnswer.parse(body);
  const artefacts = await readImages(asArray(answer.data), ctx);
  if (artefacts.length === 0) {
    const negative = readNegative(body);
    return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_artefacts');
  }
  return { type: 'done', artefacts, usage: tokenUsage(answer.usage), raw: withoutMedia(body) };
}

/** Keeps base64 images, passes addresses on, and leaves out items that are neither. Fewer than ordered is no error. */
export async function readImages(items: readonly unknown[], ctx: CallContext): Promise<ArtefactRef[]> {
  const artefacts: ArtefactRef[] = [];
  for (const item of items.slice(0, MAX_IMAGES)) {
    const image = imageItem.safeParse(item).data;
    const bytes = decodeBase64(image?.b64_json) ?? decodeDataUri(image?.url);
    if (bytes) artefacts.push(await ctx.keep(artefacts.length, bytes));
    else if (isHttpUrl(image?.url)) artefacts.push({ type: 'url', url: image.url });
  }
  return artefacts;
}
