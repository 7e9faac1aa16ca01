import { createHmac } from 'node:crypto';
import { versionedUrl } from '../calls.ts';
import type { CallContext, CreateOutcome, CreateRequest, ReferenceFile } from '../provider.ts';
import { isImage, refuseReferences, translateParams } from '../request-params.ts';

/** A job is read below the path that created it, so the path is part of what a job is. */
type Route = 'videos/text2video' | 'videos/image2video' | 'videos/multi-image2video' | 'images/generations';

const ROUTES: Readonly<Record<string, readonly Route[]>> = {
  video: ['videos/text2video', 'videos/image2video', 'videos/multi-image2video'],
  image: ['images/generations'],
};
/** Seconds that a token is valid, and by how much our clock may be ahead of the vendor's. */
const TOKEN_SECONDS = 1_800;
const SKEW_SECONDS = 5;

export function routesOf(endpoint: string): readonly Route[] {
  return Object.hasOwn(ROUTES, endpoint) ? (ROUTES[endpoint] ?? []) : [];
}

export function routeUrl(baseUrl: string, route: Route): string {
  return versionedUrl(baseUrl, `/${route}`);
}

/** `id` is the vendor's or, where the vendor was told one, our own (vendor documentation, "Query Task"). */
export function jobUrl(baseUrl: string, route: Route, id: string): string {
  return `${routeUrl(baseUrl, route)}/${encodeURIComponent(id)}`;
}

/**
 * The header of one call: a fresh HS256 token of "access:secret" (vendor documentation, "Authentication"). A key
 * without a colon is a gateway's own and goes as it is.
 */
export function authorization(apiKey: string, now: Date): Record<string, string> {
  const colon = apiKey.indexOf(':');
  if (colon <= 0 || colon === apiKey.length - 1)
    return apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  return { authorization: `Bearer ${signToken(apiKey.slice(0, colon), apiKey.slice(colon + 1), now)}` };
}

function signToken(access: string, secret: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: access, exp: seconds + TOKEN_SECONDS, nbf: seconds - SKEW_SECONDS };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** Files that the vendor cannot take, told before anything is sent. */
export function refuseFiles(request: CreateRequest): CreateOutcome | undefined {
  const first = firstFrames(request);
  const last = request.references.filter((file) => file.role === 'last_frame');
  return refuseReferences(request, (file) => {
    if (!isImage(file)) return false;
    if (request.endpoint === 'image') return request.references.length === 1 && file.role !== 'last_frame';
    if (file.role === 'last_frame') return last.length === 1 && first.length === 1;
    return isMultiImage(request) || first.length === 1;
  });
}

/** Path and body of a create. Pictures go as base64 without a `data:` prefix. */
export async function createBody(
  request: CreateRequest,
  ctx: Pick<CallContext, 'clientRef' | 'webhookUrl'>,
): Promise<{ route: Route; json: Record<string, unknown> }> {
  const route = routeFor(request);
  const { aspect_ratio, ...params } = paramsOf(request);
  return {
    route,
    json: {
      model_name: request.model,
      prompt: request.prompt,
      ...params,
      // A first frame has a shape of its own.
      ...(aspect_ratio === undefined || route === 'videos/image2video' ? {} : { aspect_ratio }),
      ...(await picturesOf(request)),
      external_task_id: ctx.clientRef,
      ...(ctx.webhookUrl === undefined ? {} : { callback_url: ctx.webhookUrl }),
    },
  };
}

function routeFor(request: CreateRequest): Route {
  if (request.endpoint === 'image') return 'images/generations';
  if (request.references.length === 0) return 'videos/text2video';
  return isMultiImage(request) ? 'videos/multi-image2video' : 'videos/image2video';
}

function paramsOf(request: CreateRequest): Record<string, unknown> {
  const isVersion3 = /^kling-v3/i.test(request.model);
  const { sound, ...params } = translateParams(request.params, {
    rename: { seconds: 'duration', ratio: 'aspect_ratio' },
    numbers: ['cfg_scale', 'image_fidelity', 'human_fidelity', ...(isVersion3 ? ['duration'] : [])],
    texts: isVersion3 ? [] : ['duration'],
  });
  return {
    ...params,
    ...(sound === undefined ? {} : { sound: typeof sound === 'boolean' ? (sound ? 'on' : 'off') : sound }),
  };
}

async function picturesOf(request: CreateRequest): Promise<Record<string, unknown>> {
  const [first] = firstFrames(request);
  const last = request.references.find((file) => file.role === 'last_frame');
  if (isMultiImage(request)) {
    const images = await Promise.all(request.references.map(toBase64));
    return { image_list: images.map((image) => ({ image })) };
  }
  return {
    ...(first ? { image: await toBase64(first) } : {}),
    ...(last ? { image_tail: await toBase64(last) } : {}),
  };
}

/** Several pictures of which none is a frame: things that are to appear in the video. */
function isMultiImage(request: CreateRequest): boolean {
  const { references } = request;
  return (
    request.endpoint === 'video' &&
    references.length > 1 &&
    references.every((file) => file.role === 'reference')
  );
}

function firstFrames(request: CreateRequest): ReferenceFile[] {
  return request.references.filter((file) => file.role !== 'last_frame');
}

async function toBase64(file: ReferenceFile): Promise<string> {
  return Buffer.from(await file.read()).toString('base64');
}
