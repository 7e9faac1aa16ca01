import { versionedUrl } from '../calls.ts';
import type { CallContext, CreateRequest, ReferenceFile } from '../provider.ts';
import { toDataUri, wireParams } from '../request-params.ts';

/** Address of the gateway's own task route (vendor documentation: `/v1/video/generations`). */
export function videoUrl(ctx: CallContext, id?: string): string {
  const path = '/video/generations';
  return versionedUrl(ctx.baseUrl, id === undefined ? path : `${path}/${encodeURIComponent(id)}`);
}

/** Suno and Midjourney routes lie beside `/v1`, so a version at the end of the base URL is left out. */
export function besideVersion(ctx: CallContext, path: string): string {
  const url = new URL(ctx.baseUrl);
  const base = url.pathname.replace(/\/+$/, '').replace(/\/v\d+[a-z\d]*$/i, '');
  url.pathname = `${base}${path}`;
  url.search = '';
  url.hash = '';
  return url.href;
}

/** What the gateway reads itself; everything else is for the vendor behind it and goes into `metadata`. */
const TOP_LEVEL = new Set(['size', 'mode', 'n', 'fps', 'width', 'height', 'response_format', 'user']);

/**
 * Body of the unified create: `duration` as a number, images as data URIs in the order first frame, others, last frame.
 * The documentation shows `seed` at the top, but the gateway hands only `metadata` on, so it goes into both.
 */
export async function videoBody(request: CreateRequest): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = { model: request.model, prompt: request.prompt };
  const metadata: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wireParams(request.params))) {
    if (name === 'seconds' || name === 'duration') body.duration = toNumber(value);
    else if (name === 'ratio' || name === 'aspect_ratio') metadata.aspect_ratio = value;
    else if (TOP_LEVEL.has(name)) body[name] = value;
    else metadata[name] = value;
  }
  if (metadata.seed !== undefined) body.seed = metadata.seed;
  const images = await Promise.all(inFrameOrder(request.references).map(toDataUri));
  if (images.length === 1) body.image = images[0];
  else if (images.length > 1) body.images = images;
  return Object.keys(metadata).length === 0 ? body : { ...body, metadata };
}

const PLACE = { first_frame: 0, reference: 1, last_frame: 2 } as const;

function inFrameOrder(files: readonly ReferenceFile[]): ReferenceFile[] {
  return [...files].sort((a, b) => PLACE[a.role] - PLACE[b.role]);
}

function toNumber(value: unknown): unknown {
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/**
 * Body of `POST /suno/submit/music`. A prompt alone is a description; with own lyrics, a title or tags it is the custom
 * mode, in which `prompt` is what is sung. `mv` is the model: names such as `suno_music` are the gateway's, not Suno's.
 */
export function sunoBody(request: CreateRequest, webhookUrl: string | undefined): Record<string, unknown> {
  const { lyrics, style, tags, title, instrumental, ...rest } = wireParams(request.params);
  const silent = instrumental === true || instrumental === 'true';
  const styles = tags ?? style;
  const isCustom = lyrics !== undefined || styles !== undefined || title !== undefined;
  return {
    ...(isCustom
      ? {
          prompt: lyrics ?? (silent ? '' : request.prompt),
          tags: styles ?? request.prompt,
          ...(title === undefined ? {} : { title }),
        }
      : { gpt_description_prompt: request.prompt }),
    make_instrumental: silent,
    ...(request.model.startsWith('suno') ? {} : { mv: request.model }),
    ...rest,
    ...(webhookUrl === undefined ? {} : { notify_hook: webhookUrl }),
  };
}

/** Midjourney's own switches behind the prompt, by parameter name. */
const SWITCHES: Readonly<Record<string, string>> = {
  ratio: '--ar',
  aspect_ratio: '--ar',
  seed: '--seed',
  version: '--v',
  quality: '--q',
  style: '--style',
  stylize: '--s',
  chaos: '--c',
  weird: '--w',
  negative_prompt: '--no',
};

/** Body of `POST /mj/submit/imagine`. `state` comes back with the task: it is our reference. */
export async function imagineBody(
  request: CreateRequest,
  ctx: Pick<CallContext, 'clientRef' | 'webhookUrl'>,
): Promise<Record<string, unknown>> {
  const { mode: _mode, n: _n, ...params } = wireParams(request.params);
  const switches: string[] = [];
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(params)) {
    const flag = SWITCHES[name];
    if (flag === undefined) rest[name] = value;
    else if (!` ${request.prompt} `.includes(` ${flag} `)) switches.push(`${flag} ${String(value)}`);
  }
  return {
    ...rest,
    prompt: [request.prompt, ...switches].join(' '),
    botType: /niji/i.test(request.model) ? 'NIJI_JOURNEY' : 'MID_JOURNEY',
    base64Array: await Promise.all(request.references.map(toDataUri)),
    state: ctx.clientRef,
    ...(ctx.webhookUrl === undefined ? {} : { notifyHook: ctx.webhookUrl }),
  };
}

/** Speed of a Midjourney job as a path prefix: the parameter `mode`, or a part of the model's name (`mj_fast_imagine`). */
export function imaginePath(request: CreateRequest): string {
  const named = /(?:^|[_-])(fast|relax|turbo)(?:[_-]|$)/i.exec(request.model)?.[1];
  const mode = String(request.params.mode ?? named ?? '').toLowerCase();
  const prefix = /^(fast|relax|turbo)$/.test(mode) ? `/mj-${mode}` : '';
  return `${prefix}/mj/submit/imagine`;
}
