import { contentItems, isContentFile } from '../content-items.ts';
import type { CallContext, CreateOutcome, CreateRequest, FileQuery, ReferenceFile } from '../provider.ts';
import { isImage, refuseReferences, toDataUri, translateParams } from '../request-params.ts';

/** Base URLs come with or without `/v1`; both versions of the API live below the same root. */
export function minimaxUrl(baseUrl: string, version: 'v1' | 'v2', path: string): string {
  return `${baseUrl.replace(/\/+$/, '').replace(/\/v[12]$/i, '')}/${version}${path}`;
}

/** H3 models are served by the second version of the video API only (vendor documentation, "Video Generation V2"). */
export function isVersion2(model: string): boolean {
  return /(^|[/-])h3\b/i.test(model);
}

type VideoContext = Pick<CallContext, 'webhookUrl'>;

/** `POST /v1/video_generation` takes one picture per role. */
export function refuseVideoFiles(request: CreateRequest): CreateOutcome | undefined {
  if (isVersion2(request.model)) return refuseReferences(request, isContentFile);
  const isLast = (file: ReferenceFile) => file.role === 'last_frame';
  return refuseReferences(
    request,
    (file) =>
      isImage(file) &&
      request.references.filter((other) => isLast(other) === isLast(file)).length === 1 &&
      !(isSubjectModel(request.model) && isLast(file)),
  );
}

/** Whether a video model has a place for such a file. */
export function takesVideoFile({ model, ...file }: FileQuery): boolean {
  if (isVersion2(model)) return isContentFile(file);
  return isImage(file) && !(isSubjectModel(model) && file.role === 'last_frame');
}

export async function videoBody(
  request: CreateRequest,
  ctx: VideoContext,
): Promise<{ version: 'v1' | 'v2'; json: Record<string, unknown> }> {
  const callback = ctx.webhookUrl === undefined ? {} : { callback_url: ctx.webhookUrl };
  if (isVersion2(request.model)) {
    const params = translateParams(request.params, {
      rename: { seconds: 'duration', aspect_ratio: 'ratio' },
      numbers: ['duration'],
    });
    const content = await contentItems(request);
    return { version: 'v2', json: { model: request.model, content, ...params, ...callback } };
  }
  const params = translateParams(request.params, { rename: { seconds: 'duration' }, numbers: ['duration'] });
  const frames = await framesOf(request);
  return {
    version: 'v1',
    json: { model: request.model, prompt: request.prompt, ...params, ...frames, ...callback },
  };
}

async function framesOf(request: CreateRequest): Promise<Record<string, unknown>> {
  const first = request.references.find((file) => file.role !== 'last_frame');
  const last = request.references.find((file) => file.role === 'last_frame');
  if (first && isSubjectModel(request.model))
    return { subject_reference: [{ type: 'character', image: [await toDataUri(first)] }] };
  return {
    ...(first ? { first_frame_image: await toDataUri(first) } : {}),
    ...(last ? { last_frame_image: await toDataUri(last) } : {}),
  };
}

/** Models that keep a face instead of starting from a frame. */
function isSubjectModel(model: string): boolean {
  return /^s2v/i.test(model);
}

const VOICE_FIELDS = ['voice_id', 'speed', 'vol', 'pitch', 'emotion'];
const AUDIO_FIELDS = ['format', 'sample_rate', 'bitrate', 'channel'];

/** Body of `POST /v1/t2a_v2`. */
export function speechBody(request: CreateRequest): Record<string, unknown> {
  const { voice_setting, audio_setting, ...params } = soundParams(request);
  return {
    model: request.model,
    text: request.prompt,
    ...params,
    ...(voice_setting ? { voice_setting } : {}),
    ...(audio_setting ? { audio_setting } : {}),
    stream: false,
    output_format: 'hex',
  };
}

/** Body of `POST /v1/music_generation`: the prompt describes the music, `lyrics` is a parameter of its own. */
export function musicBody(request: CreateRequest): Record<string, unknown> {
  const { voice_setting: _voice, audio_setting, ...params } = soundParams(request);
  return {
    model: request.model,
    prompt: request.prompt,
    ...params,
    ...(audio_setting ? { audio_setting } : {}),
    stream: false,
    output_format: 'hex',
  };
}

function soundParams(request: CreateRequest): Record<string, unknown> {
  const params = translateParams(request.params, {
    rename: { voice: 'voice_id', volume: 'vol', response_format: 'format' },
    numbers: ['speed', 'vol', 'pitch', 'sample_rate', 'bitrate', 'channel'],
  });
  const pick = (names: readonly string[]) => {
    const entries = Object.entries(params).filter(([name]) => names.includes(name));
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  };
  const rest = Object.entries(params).filter(
    ([name]) => !VOICE_FIELDS.includes(name) && !AUDIO_FIELDS.includes(name),
  );
  return {
    ...Object.fromEntries(rest),
    voice_setting: pick(VOICE_FIELDS),
    audio_setting: pick(AUDIO_FIELDS),
  };
}
