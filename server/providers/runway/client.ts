import { versionedUrl } from '../calls.ts';
import type { CreateOutcome, CreateRequest, ReferenceFile } from '../provider.ts';
import { isImage, toDataUri, translateParams } from '../request-params.ts';

/** Runway refuses every request that does not say for which version of its wire it was written. */
export const API_VERSION = { 'x-runway-version': '2024-11-06' } as const;

/** Largest data URIs by media type, in characters. */
const MAX_IMAGE_CHARACTERS = 5 * 1_048_576;
const MAX_MEDIA_CHARACTERS = 16 * 1_048_576;

export const isVideo = (file: Pick<ReferenceFile, 'mime'>): boolean => file.mime.startsWith('video/');

/** Address of an endpoint; the base URL is accepted with or without `/v1`. */
export function apiUrl(baseUrl: string, path: string): string {
  return versionedUrl(baseUrl, path);
}

export function taskUrl(baseUrl: string, id: string): string {
  return apiUrl(baseUrl, `/tasks/${encodeURIComponent(id)}`);
}

/** Files go along as data URIs; one that is too large for that is refused before anything is sent. */
export function refuseLargeFiles({ references }: CreateRequest): CreateOutcome | undefined {
  for (const file of references) {
    const limit = isImage(file) ? MAX_IMAGE_CHARACTERS : MAX_MEDIA_CHARACTERS;
    const prefix = `data:${file.mime};base64,`.length;
    if (prefix + 4 * Math.ceil(file.bytes / 3) <= limit) continue;
    const megabytes = (((limit - prefix) * 3) / 4 / 1_000_000).toFixed(1);
    const message = `The file "${file.fileName}" is too large: this model takes at most ${megabytes} MB. Make it smaller and try again.`;
    return { type: 'rejected', code: 'reference_too_large', message };
  }
  return undefined;
}

type Call = { path: string; json: Record<string, unknown> };

/**
 * The call that makes a video: from a video, from first and last frame, or from text with reference images.
 */
export async function videoCall(request: CreateRequest): Promise<Call> {
  const common = commonFields(request);
  const source = request.references.find(isVideo);
  const images = request.references.filter((file) => file !== source);
  const references = await Promise.all(
    images
      .filter((file) => source || file.role === 'reference')
      .map(async (file) => ({ uri: await toDataUri(file) })),
  );
  const withReferences = references.length > 0 ? { references } : {};
  if (source) {
    // Runway's own models and Google's name the field differently from those of the other vendors.
    const field = /^(aleph|gen\d|gemini)/i.test(request.model) ? 'videoUri' : 'promptVideo';
    return {
      path: '/video_to_video',
      json: { ...common, [field]: await toDataUri(source), ...withReferences },
    };
  }
  const frames = await Promise.all(
    images
      .filter((file) => file.role !== 'reference')
      .map(async (file) => ({
        uri: await toDataUri(file),
        position: file.role === 'last_frame' ? 'last' : 'first',
      })),
  );
  return frames.length > 0
    ? { path: '/image_to_video', json: { ...common, promptImage: frames, ...withReferences } }
    : { path: '/text_to_video', json: { ...common, ...withReferences } };
}

export async function imageCall(request: CreateRequest): Promise<Call> {
  const files = await Promise.all(request.references.map(async (file) => ({ uri: await toDataUri(file) })));
  return {
    path: '/text_to_image',
    json: { ...commonFields(request), ...(files.length > 0 ? { referenceImages: files } : {}) },
  };
}

/** `voice` is the name of one of Runway's ready-made voices. */
export function speechCall(request: CreateRequest): Call {
  const { voice, ...json } = commonFields(request);
  return {
    path: '/text_to_speech',
    json: { ...json, ...(voice === undefined ? {} : { voice: { type: 'runway-preset', presetId: voice } }) },
  };
}

export function soundCall(request: CreateRequest): Call {
  return { path: '/sound_effect', json: commonFields(request) };
}

function commonFields(request: CreateRequest): Record<string, unknown> {
  const fields = translateParams(request.params, {
    rename: {
      n: 'outputCount',
      seconds: 'duration',
      size: 'ratio',
      aspect_ratio: 'ratio',
      format: 'outputFormat',
    },
    numbers: ['duration'],
  });
  if (typeof fields.ratio === 'string') fields.ratio = fields.ratio.replace(/^(\d+)x(\d+)$/i, '$1:$2');
  return { model: request.model, promptText: request.prompt, ...fields };
}
