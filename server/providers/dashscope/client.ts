import { versionedUrl } from '../calls.ts';
import { isContentFile } from '../content-items.ts';
import type { CreateOutcome, CreateRequest, FileQuery, ReferenceFile } from '../provider.ts';
import { isImage, refuseReferences, toDataUri, translateParams } from '../request-params.ts';

/** Creates answer at once with a task only when they are told so; without it they are refused. */
export const ASYNC_HEADERS = { 'x-dashscope-async': 'enable' } as const;

const SERVICE = '/services/aigc';
/** What belongs to the content; everything else is a setting. */
const INPUT_FIELDS = new Set(['negative_prompt', 'audio_url', 'template']);

/** Addresses below `/api/v1`, with which the base URL may end or not. */
export function dashscopeUrl(baseUrl: string, path: string): string {
  return versionedUrl(baseUrl, path, 'api/v1');
}

export function taskUrl(baseUrl: string, id: string): string {
  return dashscopeUrl(baseUrl, `/tasks/${encodeURIComponent(id)}`);
}

/** Models from 2.7 on take all material as one list; before, each kind of model had fields of its own. */
function takesMediaList(model: string): boolean {
  return /wan-?(2\.[7-9]|[3-9])/i.test(model);
}

/** Models that fill in between two frames. */
function joinsFrames(model: string): boolean {
  return /kf2v/i.test(model);
}

/** Files that the model has no place for, told before anything is sent. */
export function refuseFiles(request: CreateRequest): CreateOutcome | undefined {
  const { model, endpoint, references } = request;
  const isLast = (file: ReferenceFile) => file.role === 'last_frame';
  if (endpoint === 'image') return refuseReferences(request, (file) => isImage(file) && !isLast(file));
  if (takesMediaList(model)) return refuseReferences(request, isContentFile);
  return refuseReferences(
    request,
    (file) =>
      isImage(file) &&
      (joinsFrames(model) || !isLast(file)) &&
      references.filter((other) => isLast(other) === isLast(file)).length === 1,
  );
}

/** Whether a model has a place for such a file. */
export function takesFile({ model, endpoint, ...file }: FileQuery): boolean {
  if (endpoint !== 'image' && takesMediaList(model)) return isContentFile(file);
  return isImage(file) && (file.role !== 'last_frame' || (endpoint !== 'image' && joinsFrames(model)));
}

/** Path and body of a create (vendor documentation of the Wan models). */
export async function createBody(
  request: CreateRequest,
): Promise<{ path: string; json: Record<string, unknown> }> {
  const params = translateParams(request.params, {
    rename: { seconds: 'duration', aspect_ratio: 'ratio' },
    numbers: ['duration'],
  });
  const isInput = ([name]: [string, unknown]) => INPUT_FIELDS.has(name);
  const entries = Object.entries(params);
  const settings = Object.fromEntries(entries.filter((entry) => !isInput(entry)));
  // Sizes are written with a star here.
  if (typeof settings.size === 'string') settings.size = settings.size.replace(/^(\d+)x(\d+)$/i, '$1*$2');
  return {
    path: `${SERVICE}/${serviceFor(request)}`,
    json: {
      model: request.model,
      input: {
        prompt: request.prompt,
        ...Object.fromEntries(entries.filter(isInput)),
        ...(await materialOf(request)),
      },
      parameters: settings,
    },
  };
}

function serviceFor(request: CreateRequest): string {
  if (request.endpoint === 'image')
    return request.references.length === 0 ? 'text2image/image-synthesis' : 'image2image/image-synthesis';
  return joinsFrames(request.model) ? 'image2video/video-synthesis' : 'video-generation/video-synthesis';
}

async function materialOf(request: CreateRequest): Promise<Record<string, unknown>> {
  const { model, references } = request;
  if (references.length === 0) return {};
  if (request.endpoint === 'image') return { images: await Promise.all(references.map(toDataUri)) };
  if (takesMediaList(model)) {
    const media = references.map(async (file) => ({
      type: mediaType(file, model),
      url: await toDataUri(file),
    }));
    return { media: await Promise.all(media) };
  }
  const first = references.find((file) => file.role !== 'last_frame');
  const last = references.find((file) => file.role === 'last_frame');
  const name = joinsFrames(model) ? 'first_frame_url' : 'img_url';
  return {
    ...(first ? { [name]: await toDataUri(first) } : {}),
    ...(last ? { last_frame_url: await toDataUri(last) } : {}),
  };
}

/** An image-to-video model knows no references: a picture without a role is where it begins. */
function mediaType(file: ReferenceFile, model: string): string {
  if (file.role !== 'reference') return file.role;
  const media = file.mime.split('/')[0] ?? 'image';
  if (!/i2v/i.test(model)) return `reference_${media}`;
  return media === 'audio' ? 'driving_audio' : media === 'video' ? 'first_clip' : 'first_frame';
}
