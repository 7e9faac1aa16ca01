import { versionedUrl } from '../calls.ts';
import type { CreateRequest } from '../provider.ts';
import { translateParams } from '../request-params.ts';

/** Address of an endpoint; the base URL is accepted with or without `/v1`. */
export function apiUrl(baseUrl: string, path: string): string {
  return versionedUrl(baseUrl, path);
}

export function createUrl(baseUrl: string, endpoint: string): string {
  return apiUrl(baseUrl, endpoint === 'image' ? '/generations/image' : '/generations');
}

export function generationUrl(baseUrl: string, id: string): string {
  return apiUrl(baseUrl, `/generations/${encodeURIComponent(id)}`);
}

/** Lengths are texts with their unit on this wire: "5s". */
export function generationBody(
  request: CreateRequest,
  webhookUrl: string | undefined,
): Record<string, unknown> {
  const { duration, ...fields } = translateParams(request.params, {
    rename: { seconds: 'duration', ratio: 'aspect_ratio' },
    texts: ['duration'],
  });
  return {
    model: request.model,
    prompt: request.prompt,
    ...fields,
    ...(duration === undefined ? {} : { duration: String(duration).replace(/^(\d+)$/, '$1s') }),
    ...(webhookUrl === undefined ? {} : { callback_url: webhookUrl }),
  };
}
