import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createDirectControl, handleControl } from './control.ts';
import type { SandboxControl } from './control-schemas.ts';
import type { Sandbox } from './endpoint.ts';
import { openaiErrors } from './formats/openai.ts';
import { stopFfmpeg } from './media/ffmpeg.ts';
import { createMediaCache } from './media/media-cache.ts';
import { handlePayments, paymentErrors } from './payments/api.ts';
import { findRoute, handleApi, handleFile } from './routes.ts';
import type { SandboxKind } from './rules.ts';
import { createState, logRequest, SandboxResetError } from './state.ts';
import { createWebhookKeys } from './webhook-keys.ts';
import { ApiError, type CallName, dropConnection, type Exchange, sendError } from './wire.ts';

/** Key that a sandbox accepts unless told otherwise; it opens nothing but stand-in media. */
export const DEFAULT_API_KEY = 'sk-sandbox-key';

/** How long the work of each kind takes at speed 1, in milliseconds. */
const DEFAULT_DELAYS: Readonly<Record<SandboxKind, number>> = {
  image: 1_500,
  video: 8_000,
  audio: 1_000,
  text: 4_000,
};

/** Encoders are shared by the sandboxes of one process. */
let openSandboxes = 0;

export type SandboxOptions = {
  /** 0 or none: any free port. */
  port?: number;
  host?: '127.0.0.1';
  /** Where media are kept between runs. */
  mediaDir?: string;
  /** Divides the default delays; explicit `delay` behaviours stay as they are. */
  speed?: number;
  delays?: Partial<Record<SandboxKind, number>>;
  apiKey?: string;
  videoUrls?: boolean;
  sharedMedia?: boolean;
  payments?: Sandbox['payments'];
};

export type RunningSandbox = {
  /** Origin without a path; the base URL of an OpenAI channel is `${url}/v1`. */
  url: string;
  port: number;
  apiKey: string;
  control: SandboxControl;
  close(): Promise<void>;
};

function clientRefOf(req: IncomingMessage): string | null {
  const value = req.headers['idempotency-key'] ?? req.headers['x-client-request-id'];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function callOf(pathname: string, routed: CallName | undefined): CallName {
  return routed ?? (pathname.startsWith('/files/') ? 'file' : 'other');
}

/**
 * Starts a sandbox upstream on 127.0.0.1. It speaks the wire formats of OpenAI below `/v1`, of an aggregator below
 * `/newapi`, of Replicate below `/replicate/v1`, of fal below `/fal` and of an invented vendor below `/studio`;
 * serves results below `/files`, plays a payment vendor below `/pay`, and is steered below `/control`. State lives in memory and ends with it; media
 * stay in `mediaDir`.
 *
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const apiKey = options.apiKey ?? DEFAULT_API_KEY;
  const host = options.host ?? '127.0.0.1';
  const state = createState({
    speed: options.speed ?? 1,
    delays: { ...DEFAULT_DELAYS, ...options.delays },
    apiKeys: [apiKey],
    videoUrls: options.videoUrls ?? false,
    sharedMedia: options.sharedMedia ?? false,
  });
  let url = '';
  const media = createMediaCache(path.resolve(options.mediaDir ?? '.data/sandbox-media'));
  const keys = { genuine: createWebhookKeys(), forged: createWebhookKeys() };
  const { payments } = options;
  const sandbox: Sandbox = { state, media, origin: () => url, keys, payments, working: new Set() };
  const control = createDirectControl(state);

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const target = new URL(req.url ?? '/', 'http://sandbox.invalid');
    const method = req.method ?? 'GET';
    const controls = target.pathname.startsWith('/control/');
    const pays = /^\/pay(\/|$)/.test(target.pathname);
    const routed = findRoute(method, target.pathname);
    const { format } = routed;
    const clientRef = clientRefOf(req);
    const call = callOf(target.pathname, routed.route?.call);
    const entry = { call, method, path: target.pathname, clientRef };
    const blank = { ...entry, jobId: null, status: null, fault: null, finished: false };
    const log = controls ? { ...blank, seq: 0, at: Date.now() } : logRequest(state, blank);
    const exchange: Exchange = {
      req,
      res,
      url: target,
      params: routed.params,
      format: format.name,
      errorStyle: pays ? paymentErrors : controls ? openaiErrors : format.errors,
      requestId: `req_${randomBytes(12).toString('hex')}`,
      apiKey: '',
      clientRef,
      log,
    };
    res.setHeader(format.requestIdHeader, exchange.requestId);
    res.on('close', () => {
      log.finished = true;
      log.status = res.headersSent ? res.statusCode : null;
    });
    try {
      if (controls) {
        if (!(await handleControl(control, exchange)))
          throw new ApiError(404, null, 'There is no such control.');
      } else if (pays) await handlePayments(sandbox, exchange);
      else if (target.pathname.startsWith('/files/')) await handleFile(sandbox, exchange);
      else await handleApi(sandbox, exchange, routed);
    } catch (error) {
      if (error instanceof ApiError) sendError(exchange, error);
      else if (error instanceof SandboxResetError) dropConnection(exchange);
      else if (!res.destroyed) {
        const message = error instanceof Error ? error.message : String(error);
        sendError(exchange, new ApiError(500, null, `The sandbox failed: ${message}`));
      }
    }
  }

  const server = createServer((req, res) => void handle(req, res));
  // Jobs may take hours; nothing here may give up before its client does.
  server.requestTimeout = 0;
  server.timeout = 0;
  const port = await listen(server, options.port ?? 0, host);
  url = `http://${host}:${port}`;
  openSandboxes += 1;

  async function close(): Promise<void> {
    state.epoch.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    openSandboxes -= 1;
    if (openSandboxes === 0) stopFfmpeg();
    await Promise.all([closed, ...sandbox.working]);
  }
  let closing: Promise<void> | undefined;

  return {
    url,
    port,
    apiKey,
    control,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
