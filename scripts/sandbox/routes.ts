import { createHash, timingSafeEqual } from 'node:crypto';
import { sendContent } from './contents.ts';
import { handleCreate } from './create-job.ts';
import type { Sandbox } from './endpoint.ts';
import { fal } from './formats/fal.ts';
import type { Route, WireFormat } from './formats/format.ts';
import { newapiFormats } from './formats/newapi.ts';
import { openai } from './formats/openai.ts';
import { replicate } from './formats/replicate.ts';
import { studio } from './formats/studio.ts';
import { isFinal, truthOf } from './job-view.ts';
import type { MediaFile } from './media/media-cache.ts';
import type { Job } from './state.ts';
import { ApiError, type Exchange } from './wire.ts';

/** Finds the format and route of a call, checks its key and job, and hands it over. */

const FORMATS: readonly WireFormat[] = [openai, ...newapiFormats, replicate, fal, studio];

/** `/v1/videos/:id` and `/fal/:owner/*rest` as expressions with named groups. */
function compile(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)')
    .replace(/\*(\w+)/g, '(?<$1>.+)');
  return new RegExp(`^${source}$`);
}

const TABLE = FORMATS.flatMap((format) =>
  format.routes.map((route) => ({ format, route, pattern: compile(route.path) })),
);

/** What is spoken below a path; OpenAI's format where nobody claims it. */
function formatOf(pathname: string): WireFormat {
  const claims = FORMATS.filter(({ prefix }) => pathname === prefix || pathname.startsWith(`${prefix}/`));
  return claims.toSorted((a, b) => b.prefix.length - a.prefix.length)[0] ?? openai;
}

/** A parameter as it was meant; one that is no proper encoding stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Routed = { format: WireFormat; route?: Route; params: Record<string, string> };

/** The route of a call, found before anything is read so that the log can name it. */
export function findRoute(method: string, pathname: string): Routed {
  for (const { format, route, pattern } of TABLE) {
    const match = route.method === method ? pattern.exec(pathname) : null;
    if (!match) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decode(text)]);
    return { format, route, params: Object.fromEntries(params) };
  }
  return { format: formatOf(pathname), params: {} };
}

const digest = (text: string) => createHash('sha256').update(text).digest();

function checkKey(sandbox: Sandbox, exchange: Exchange, format: WireFormat): string {
  const key = format.readKey(exchange);
  const known = sandbox.state.config.apiKeys.some((item) => timingSafeEqual(digest(item), digest(key ?? '')));
  if (key === undefined || !known) throw format.unauthenticated(key !== undefined);
  return key;
}

/** One call of a vendor's API. Throws an `ApiError` for what upstream refuses. */
export async function handleApi(sandbox: Sandbox, exchange: Exchange, routed: Routed): Promise<void> {
  const { format, route, params } = routed;
  if (route && 'run' in route && route.open) return route.run(sandbox, exchange);
  exchange.apiKey = checkKey(sandbox, exchange, format);
  if (!route) throw new ApiError(404, null, `Invalid URL (${exchange.req.method} ${exchange.url.pathname})`);
  if ('create' in route) return handleCreate(sandbox, exchange, route.create);
  if ('run' in route) return route.run(sandbox, exchange);
  const id = params.id ?? '';
  exchange.log.jobId = id;
  const job = sandbox.state.jobs.get(id);
  const visible =
    job?.format === format.name && route.jobs.includes(job.endpoint) && job.apiKey === exchange.apiKey;
  if (!job || !visible) throw format.missing(id, route);
  exchange.log.clientRef ??= job.clientRef;
  return route.handle(sandbox, exchange, job);
}

const PREVIEW_SIDE = 64;

/** Shown while a job is at work; not the result. */
function makePreview({ media }: Sandbox, job: Job): Promise<MediaFile> {
  if (job.kind === 'audio') return media.sound({ text: 'preview', voice: 'alloy', speed: 1, format: 'mp3' });
  const size = { width: PREVIEW_SIDE, height: PREVIEW_SIDE };
  return media.image({ prompt: job.text, ordinal: 0, ...size, format: 'webp' });
}

/** `GET /files/<job>/<ordinal>.<ext>` and `…/preview`: public, as result URLs of upstreams are. */
export async function handleFile(sandbox: Sandbox, exchange: Exchange): Promise<void> {
  const [, jobId = '', name = ''] =
    /^\/files\/([^/]+)\/(\d+(?=\.[a-z0-9]+$)|preview$)/.exec(exchange.url.pathname) ?? [];
  const job = exchange.req.method === 'GET' ? sandbox.state.jobs.get(jobId) : undefined;
  const early = job && name === 'preview' && !isFinal(truthOf(job, Date.now()));
  const file = early ? await makePreview(sandbox, job) : job?.artefacts[Number(name)];
  if (!job || !file) throw new ApiError(404, 'not_found', 'There is no such file.');
  exchange.log.jobId = job.id;
  exchange.log.clientRef ??= job.clientRef;
  const { pathname, search } = exchange.url;
  await sendContent(sandbox.state, exchange, job, {
    file,
    publicUrl: `${sandbox.origin()}${pathname}${search}`,
  });
}
