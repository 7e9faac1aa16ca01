import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { findBehaviour } from '../attachments.ts';
import { takeReplacement } from '../contents.ts';
import { type CreateEndpoint, checkModel, hexId, type Order, toSeconds } from '../endpoint.ts';
import { countTokens } from '../media/prose.ts';
import { deliveryOf, fileUrl } from '../results.ts';
import type { Job } from '../state.ts';
import { ApiError, validate } from '../wire.ts';

/**
 * `POST /v1/images/generations` and, with reference images in a form, `POST /v1/images/edits`: synchronous; base64 by
 * default for GPT image models, URLs for DALL·E.
 */

const MODELS = /^(gpt-image-|dall-e-[23]$)/;

const imageSize = z
  .string()
  .regex(/^(auto|\d{2,4}x\d{2,4})$/, 'must be auto or WIDTHxHEIGHT')
  .refine(
    (size) => size === 'auto' || size.split('x').every((side) => Number(side) >= 64 && Number(side) <= 4096),
    'sides go from 64 to 4096 pixels',
  );

const imageRequest = z.strictObject({
  model: z.string().min(1).default('dall-e-2'),
  prompt: z.string().min(1, 'must not be empty').max(32_000),
  n: z.number().int().min(1).max(10).nullish(),
  size: imageSize.nullish(),
  quality: z.string().nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['low', 'auto']).nullish(),
  output_format: z.enum(['png', 'jpeg', 'webp']).nullish(),
  output_compression: z.number().int().min(0).max(100).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  style: z.enum(['vivid', 'natural']).nullish(),
  user: z.string().max(512).nullish(),
  stream: z.literal(false).nullish(),
});
type ImageRequest = z.output<typeof imageRequest>;

const requestOf = (job: Job) => job.request as ImageRequest;

function sizeOf(request: ImageRequest): { width: number; height: number } {
  const [width, height] = (request.size ?? 'auto').split('x').map(Number);
  return width && height ? { width, height } : { width: 1024, height: 1024 };
}

const orderedBy = (job: Job) => requestOf(job).n ?? 1;

function readOrder(fields: Record<string, unknown>): Order {
  const request = validate(imageRequest, fields);
  checkModel(request.model, MODELS);
  if (request.model === 'dall-e-3' && (request.n ?? 1) > 1) {
    throw new ApiError(
      400,
      'invalid_value',
      "Invalid value for 'n': dall-e-3 makes one image at a time.",
      'n',
    );
  }
  return { kind: 'image', prompt: request.prompt, model: request.model, request, synchronous: true };
}

export const imagesEndpoint: CreateEndpoint = {
  name: 'images',
  newId: () => hexId('img_'),

  read: (body) => readOrder(body.fields),

  make({ media }, job) {
    const request = requestOf(job);
    const format = request.output_format ?? 'png';
    return Promise.all(
      Array.from({ length: deliveryOf(job, orderedBy(job)).delivered }, (_, ordinal) =>
        media.image({ prompt: job.text, ordinal, ...sizeOf(request), format }),
      ),
    );
  },

  async answer(sandbox, job) {
    const request = requestOf(job);
    const form = request.response_format ?? (request.model.startsWith('dall-e') ? 'url' : 'b64_json');
    const empty = findBehaviour(job.behaviours, 'no_artifact') !== undefined;
    const data: unknown[] = await Promise.all(
      job.artefacts.map(async (file, ordinal) => {
        if (empty) return { revised_prompt: job.text };
        if (form === 'url')
          return { url: fileUrl(sandbox, job, { ordinal, extension: request.output_format ?? 'png' }) };
        const replacement = takeReplacement(job);
        const bytes = replacement ? Buffer.from(replacement.body) : await readFile(file.path);
        return { b64_json: bytes.toString('base64') };
      }),
    );
    data.push(...Array.from({ length: deliveryOf(job, orderedBy(job)).nulls }, () => null));
    const { width, height } = sizeOf(request);
    const inputTokens = countTokens(job.prompt);
    const outputTokens = Math.ceil((width * height) / 1_000) * data.length;
    return {
      type: 'json',
      value: {
        created: toSeconds(Date.now()),
        data,
        background: request.background ?? 'opaque',
        output_format: request.output_format ?? 'png',
        quality: request.quality ?? 'high',
        size: `${width}x${height}`,
        usage: {
          input_tokens: inputTokens,
          input_tokens_details: { image_tokens: 0, text_tokens: inputTokens },
          output_tokens: outputTokens,
          total_tokens: inputTokens + outputTokens,
        },
      },
    };
  },
};

const MAX_REFERENCES = 16;
/** Form fields are text; these are numbers. */
const FORM_NUMBERS = ['n', 'output_compression'];

/** The same work with reference images; the picture is made from the prompt alone. */
export const imageEditsEndpoint: CreateEndpoint = {
  ...imagesEndpoint,

  read({ fields, files }) {
    const images = files.filter((file) => file.field === 'image' || file.field === 'image[]');
    if (images.length === 0)
      throw new ApiError(400, 'missing_required_parameter', "Missing required parameter: 'image'.", 'image');
    if (images.length > MAX_REFERENCES)
      throw new ApiError(400, 'invalid_value', 'At most 16 images can be sent.', 'image');
    for (const file of files) {
      const known = images.includes(file) || file.field === 'mask';
      if (!known)
        throw new ApiError(400, 'unknown_parameter', `Unknown parameter: '${file.field}'.`, file.field);
      const usable = /^image\/(png|jpeg|webp)$/.test(file.mime) && file.bytes > 0;
      if (!usable)
        throw new ApiError(
          400,
          'invalid_image',
          'Images must be PNG, JPEG or WebP and not empty.',
          file.field,
        );
    }
    const numbers = FORM_NUMBERS.filter((name) => typeof fields[name] === 'string').map((name) => [
      name,
      Number(fields[name]),
    ]);
    return readOrder({ ...fields, ...Object.fromEntries(numbers) });
  },
};
