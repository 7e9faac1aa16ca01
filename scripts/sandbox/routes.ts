import { createHash, timingSafeEqual } from 'node:crypto';
import { sendContent } from './contents.ts';
import { type CreateEndpoint, handleCreate, type Sandbox } from './create-job.ts';
import { imageEditsEndpoint, imagesEndpoint } from './endpoints/images.ts';
import { speechEndpoint } from './endpoints/speech.ts';
import { cancelResponse, chatEndpoint, responsesEndpoint, retrieveResponse } from './endpoints/texts.ts';
import { deleteVideo, listVideos, readVideo, retrieveVideo, videosEndpoint } from './endpoints/videos.ts';
import type { EndpointName, Job } from './state.ts';
import { ApiError, type CallName, type Exchange, sendJson } from './wire.ts';

/** The OpenAI routes of the sandbox: method, path and what they do. */

type Handler = (sandbox: Sandbox, exchange: Exchange, job: Job) => void | Promise<void>;

type Route =
  | { call: 'create'; endpoint: CreateEndpoint }
  | { call: CallName; collection: EndpointName; id: string; handle: Handler }
  | { call: CallName; run: (sandbox: Sandbox, exchange: Exchange) => void | Promise<void> };

const MODEL_IDS = [
  'gpt-image-1',
  'gpt-image-1-mini',
  'dall-e-3',
  'dall-e-2',
  'sora-2',
  'sora-2-pro',
  'tts-1',
  'tts-1-hd',
  'gpt-4o-mini-tts',
  'gpt-4.1-mini',
  'gpt-5-mini',
] as const;

const CREATES: Record<string, CreateEndpoint> = {
  '/v1/images/generations': imagesEndpoint,
  '/v1/images/edits': imageEditsEndpoint,
  '/v1/videos': videosEndpoint,
  '/v1/audio/speech': speechEndpoint,
  '/v1/responses': responsesEndpoint,
  '/v1/chat/completions': chatEndpoint,
};

function listModels(_sandbox: Sandbox, exchange: Exchange): void {
  const data = MODEL_IDS.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'sandbox' }));
  sendJson(exchange, 200, { object: 'list', data });
}

const JOB_ROUTES: readonly {
  method: string;
  pattern: RegExp;
  call: CallName;
  collection: EndpointName;
  handle: Handler;
}[] = [
  {
    method: 'GET',
    pattern: /^\/v1\/videos\/([^/]+)$/,
    call: 'poll',
    collection: 'videos',
    handle: retrieveVideo,
  },
  {
    method: 'GET',
    pattern: /^\/v1\/videos\/([^/]+)\/content$/,
    call: 'content',
    collection: 'videos',
    handle: readVideo,
  },
  {
    method: 'DELETE',
    pattern: /^\/v1\/videos\/([^/]+)$/,
    call: 'delete',
    collection: 'videos',
    handle: deleteVideo,
  },
  {
    method: 'GET',
    pattern: /^\/v1\/responses\/([^/]+)$/,
    call: 'poll',
    collection: 'responses',
    handle: retrieveResponse,
  },
  {
    method: 'POST',
    pattern: /^\/v1\/responses\/([^/]+)\/cancel$/,
    call: 'cancel',
    collection: 'responses',
    handle: cancelResponse,
  },
];

/** The route of a call, found before anything is read so that the log can name it. */
export function findRoute(method: string, pathname: string): Route | undefined {
  const endpoint = method === 'POST' ? CREATES[pathname] : undefined;
  if (endpoint) return { call: 'create', endpoint };
  if (method === 'GET' && pathname === '/v1/models') return { call: 'models', run: listModels };
  if (method === 'GET' && pathname === '/v1/videos') return { call: 'list', run: listVideos };
  for (const { pattern, ...route } of JOB_ROUTES) {
    const id = route.method === method ? pattern.exec(pathname)?.[1] : undefined;
    if (id)
      return {
        call: route.call,
        collection: route.collection,
        handle: route.handle,
        id: decodeURIComponent(id),
      };
  }
  return undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function checkKey(sandbox: Sandbox, exchange: Exchange): string {
  const header = exchange.req.headers.authorization;
  if (!header)
    throw new ApiError(
      401,
      null,
      "You didn't provide an API key. Send it as: Authorization: Bearer YOUR_KEY.",
    );
  const key = /^Bearer (.+)$/.exec(header)?.[1] ?? '';
  const known = sandbox.state.config.apiKeys.some((item) => timingSafeEqual(digest(item), digest(key)));
  if (!known) throw new ApiError(401, 'invalid_api_key', 'Incorrect API key provided.');
  return key;
}

/** One call below `/v1`. Throws an `ApiError` for what upstream refuses. */
export async function handleApi(
  sandbox: Sandbox,
  exchange: Exchange,
  route: Route | undefined,
): Promise<void> {
  exchange.apiKey = checkKey(sandbox, exchange);
  if (!route) throw new ApiError(404, null, `Invalid URL (${exchange.req.method} ${exchange.url.pathname})`);
  if ('endpoint' in route) return handleCreate(sandbox, exchange, route.endpoint);
  if ('run' in route) return route.run(sandbox, exchange);
  exchange.log.jobId = route.id;
  const job = sandbox.state.jobs.get(route.id);
  if (!job || job.endpoint !== route.collection || job.apiKey !== exchange.apiKey) {
    throw new ApiError(
      404,
      'not_found',
      `No ${route.collection === 'videos' ? 'video' : 'response'} found with id '${route.id}'.`,
    );
  }
  exchange.log.clientRef ??= job.clientRef;
  return route.handle(sandbox, exchange, job);
}

/** `GET /files/<job>/<ordinal>.<ext>`: public, as result URLs of upstreams are. */
export async function handleFile(sandbox: Sandbox, exchange: Exchange): Promise<void> {
  const [, jobId = '', ordinal = ''] =
    /^\/files\/([^/]+)\/(\d+)\.[a-z0-9]+$/.exec(exchange.url.pathname) ?? [];
  const job = sandbox.state.jobs.get(jobId);
  const file = job?.artefacts[Number(ordinal)];
  if (!job || !file || exchange.req.method !== 'GET')
    throw new ApiError(404, 'not_found', 'There is no such file.');
  exchange.log.jobId = job.id;
  exchange.log.clientRef ??= job.clientRef;
  await sendContent(sandbox.state, exchange, job, { file });
}
