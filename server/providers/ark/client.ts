import { versionedUrl } from '../calls.ts';
import { contentItems } from '../content-items.ts';
import { asNumber } from '../json.ts';
import type { CallContext, CreateRequest } from '../provider.ts';
import { toDataUri, translateParams } from '../request-params.ts';

/** Addresses below `/api/v3`, with which the base URL may end or not. */
export function arkUrl(baseUrl: string, path: string): string {
  return versionedUrl(baseUrl, path, 'api/v3');
}

export function taskUrl(baseUrl: string, id: string): string {
  return arkUrl(baseUrl, `/contents/generations/tasks/${encodeURIComponent(id)}`);
}

/** Body of `POST /contents/generations/tasks` (vendor documentation, "Create a video generation task"). */
export async function videoBody(
  request: CreateRequest,
  ctx: Pick<CallContext, 'webhookUrl'>,
): Promise<Record<string, unknown>> {
  return {
    model: request.model,
    content: await contentItems(request),
    ...translateParams(request.params, {
      rename: { seconds: 'duration', aspect_ratio: 'ratio' },
      numbers: ['duration', 'frames', 'priority'],
    }),
    ...(ctx.webhookUrl === undefined ? {} : { callback_url: ctx.webhookUrl }),
  };
}

/**
 * Body of `POST /images/generations`. The number of images is the upper bound of a series here, and the model decides
 * how many it makes.
 */
export async function imagesBody(request: CreateRequest): Promise<Record<string, unknown>> {
  const { n, ...params } = translateParams(request.params, { numbers: ['guidance_scale'] });
  const count = asNumber(n) ?? 1;
  const images = await Promise.all(request.references.map(toDataUri));
  return {
    model: request.model,
    prompt: request.prompt,
    ...(images.length === 0 ? {} : { image: images.length === 1 ? images[0] : images }),
    ...(count > 1
      ? {
          sequential_image_generation: 'auto',
          sequential_image_generation_options: { max_images: count },
        }
      : {}),
    response_format: 'url',
    ...params,
    stream: false,
  };
}
