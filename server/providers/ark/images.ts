import { sendJsonCreate } from '../calls.ts';
import { readErrorEnvelope, readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { tokenUsage, withoutMedia } from '../job-reading.ts';
import { asArray, type JsonRecord } from '../json.ts';
import { readImages } from '../openai/images.ts';
import type { CallContext, CreateOutcome, CreateRequest } from '../provider.ts';
import { isImage, refuseReferences } from '../request-params.ts';
import { usageSchema } from '../schemas.ts';
import { createOutcomeOfCode } from '../vendor-codes.ts';
import { arkUrl, imagesBody } from './client.ts';
import { readCode, refusalOf } from './mapping.ts';

/** `POST /images/generations` (Seedream): synchronous, without an id; each image may fail on its own. */
export async function createImages(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImage);
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, arkUrl(ctx.baseUrl, '/images/generations'), {
    json: await imagesBody(request),
    refusalOf,
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const artefacts = await readImages(asArray(body.data), ctx);
  if (artefacts.length > 0)
    return {
      type: 'done',
      artefacts,
      usage: tokenUsage(usageSchema.parse(body.usage)),
      raw: withoutMedia(body),
    };
  const byItem = errorOfEveryImage(body);
  if (byItem) return refusalOf(byItem, response) ?? rejectedBy(envelopeOf(byItem), response, body);
  const error = readCode(body);
  if (error) return createOutcomeOfCode(error, response, body);
  const negative = readNegative(body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_artefacts');
}

/** The first error when every image has one: then the whole call made nothing, and says so. */
function errorOfEveryImage(body: JsonRecord): JsonRecord | undefined {
  const items = asArray(body.data);
  const errors = items.flatMap((item) => {
    const envelope = readErrorEnvelope(item);
    return envelope ? [{ error: envelope }] : [];
  });
  return items.length > 0 && errors.length === items.length ? errors[0] : undefined;
}

function envelopeOf(item: JsonRecord) {
  return readErrorEnvelope(item) ?? { code: '', type: '', message: '' };
}
