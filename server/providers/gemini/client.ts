import { versionedUrl } from '../calls.ts';
import type { CreateRequest, ReferenceFile } from '../provider.ts';
import { toBase64, translateParams } from '../request-params.ts';

/** Address of an endpoint; the base URL is accepted with or without `/v1beta`. */
export function apiUrl(baseUrl: string, path: string): string {
  return versionedUrl(baseUrl, path, 'v1beta');
}

/** `models/{model}:{method}`; the model's name is accepted with or without `models/`. */
export function modelUrl(baseUrl: string, model: string, method: string): string {
  const name = model.replace(/^models\//, '');
  return apiUrl(baseUrl, `/models/${encodeURIComponent(name)}:${method}`);
}

/**
 * Address of a long-running operation. Its name has slashes (`models/…/operations/…`), which stay separators, so each
 * part is encoded on its own. Undefined for a name whose parts would lead elsewhere.
 */
export function operationUrl(baseUrl: string, name: string): string | undefined {
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return undefined;
  return apiUrl(baseUrl, `/${parts.map(encodeURIComponent).join('/')}`);
}

/** Body of `:predictLongRunning`: frames by their role, other references as assets. */
export async function videoBody(request: CreateRequest): Promise<Record<string, unknown>> {
  const withRole = (role: ReferenceFile['role']) => request.references.filter((file) => file.role === role);
  const [first] = withRole('first_frame');
  const [last] = withRole('last_frame');
  const assets = await Promise.all(
    withRole('reference').map(async (file) => ({ image: await imageOf(file), referenceType: 'asset' })),
  );
  return {
    instances: [
      {
        prompt: request.prompt,
        ...(first ? { image: await imageOf(first) } : {}),
        ...(last ? { lastFrame: await imageOf(last) } : {}),
        ...(assets.length > 0 ? { referenceImages: assets } : {}),
      },
    ],
    parameters: translateParams(request.params, {
      rename: {
        n: 'sampleCount',
        seconds: 'durationSeconds',
        ratio: 'aspectRatio',
        aspect_ratio: 'aspectRatio',
        negative_prompt: 'negativePrompt',
        person_generation: 'personGeneration',
      },
      numbers: ['durationSeconds'],
    }),
  };
}

async function imageOf(file: ReferenceFile): Promise<Record<string, unknown>> {
  return { bytesBase64Encoded: await toBase64(file), mimeType: file.mime };
}

/** Body of `:generateContent` for models that answer with images. One image is the default and has no field. */
export async function imageBody(request: CreateRequest): Promise<Record<string, unknown>> {
  const { candidateCount, aspectRatio, imageSize, ...more } = translateParams(request.params, {
    rename: {
      n: 'candidateCount',
      ratio: 'aspectRatio',
      aspect_ratio: 'aspectRatio',
      size: 'imageSize',
      resolution: 'imageSize',
      top_p: 'topP',
    },
  });
  const files = await Promise.all(
    request.references.map(async (file) => ({
      inlineData: { mimeType: file.mime, data: await toBase64(file) },
    })),
  );
  const hasConfig = aspectRatio !== undefined || imageSize !== undefined;
  return {
    contents: [{ role: 'user', parts: [...files, { text: request.prompt }] }],
    generationConfig: {
      ...more,
      ...(candidateCount === undefined || candidateCount === 1 ? {} : { candidateCount }),
      responseModalities: ['TEXT', 'IMAGE'],
      ...(hasConfig ? { imageConfig: { aspectRatio, imageSize } } : {}),
    },
  };
}
