import { createFetch } from 'ofetch';
import type { Dispatcher } from 'undici';
import { classifyFailure, type FailureContext } from './classify-error.ts';
import { createReadAgent, createSingleUseConnection } from './dispatchers.ts';
import { BodyTooLargeError, bufferedResponse, readBody } from './http-response.ts';
import { MAX_REDIRECTS, type OutboundGuard, OutboundRefusedError } from './outbound-guard.ts';
import type { UpstreamFailure, UpstreamRequest, UpstreamResponse } from './provider.ts';
import { bodyOf, dropCredentials, headersFor, originOf, targetUrl } from './request-parts.ts';
import { discard, exchange, type WireResponse } from './transport.ts';

/** Answers of polls, look-ups and checks are small JSON; a create may carry base64 media. */
const READ_MAX_BYTES = 2_000_000;
const CREATE_MAX_BYTES = 256_000_000;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

type HttpClientOptions = {
  guard: OutboundGuard;
  /** Replaces the exchange where a test answers instead of the network. */
  fetch?: typeof globalThis.fetch;
  now?: () => Date;
};

type CallOptions = {
  /** A create sends one request on a fresh connection and follows no redirect; a read may be repeated by its caller. */
  mode: 'create' | 'read';
  /** The channel's base URL: credentials go to its origin only. */
  baseUrl: string;
  credentials: Readonly<Record<string, string>>;
  signal: AbortSignal;
  timeoutMs: number;
};

/** One call of an adapter: its requests share a deadline, a base URL and credentials. */
export type HttpCall = {
  request(request: UpstreamRequest): Promise<UpstreamResponse | UpstreamFailure>;
  /** Whether a request was handed to the network, so that an adapter's fault after it is not taken for "not sent". */
  started(): boolean;
  /** Ends the deadline. */
  close(): void;
};

/** Opens a body for streaming; the caller reads `response.body`. Redirects are followed through the guard. */
export type OpenStream = (input: {
  url: string;
  baseUrl: string;
  credentials: Readonly<Record<string, string>>;
  signal: AbortSignal;
}) => Promise<WireResponse>;

type HttpClient = {
  open(options: CallOptions): HttpCall;
  openStream: OpenStream;
  close(): Promise<void>;
};

/** The one way out of the process. Nothing here is ever retried: repeating is a decision of the row's schedule. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { guard } = options;
  const now = options.now ?? (() => new Date());
  const readAgent = createReadAgent(guard);
  const ofetch = createFetch({
    fetch: options.fetch ?? (exchange as unknown as typeof globalThis.fetch),
    Headers: globalThis.Headers,
    AbortController: globalThis.AbortController,
    defaults: {
      retry: 0,
      ignoreResponseError: true,
      redirect: 'manual',
      headers: { 'user-agent': 'sidelane' },
    },
  });

  async function send(
    url: URL,
    init: { method: string; headers: Headers; body?: BodyInit; signal: AbortSignal; dispatcher: Dispatcher },
  ) {
    // `responseType: stream` leaves the body alone; `signal` carries our limit because ofetch ignores `timeout` beside one.
    const options = { ...init, dispatcher: init.dispatcher as never, responseType: 'stream' } as const;
    return (await ofetch.raw(url.href, options)) as unknown as WireResponse;
  }

  /** A GET that follows at most five redirects, each checked, with credentials only at the channel's own origin. */
  async function get(input: {
    url: URL;
    headers: Headers;
    homeOrigin: string;
    credentials: CallOptions['credentials'];
    signal: AbortSignal;
  }): Promise<WireResponse> {
    let { url } = input;
    const headers = new Headers(input.headers);
    for (let hop = 0; ; hop += 1) {
      if (url.origin !== input.homeOrigin) dropCredentials(headers, input.credentials);
      const response = await send(url, {
        method: 'GET',
        headers,
        signal: input.signal,
        dispatcher: readAgent,
      });
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || !location || hop === MAX_REDIRECTS) return response;
      await discard(response.body);
      url = guard.checkUrl(new URL(location, url));
    }
  }

  return {
    open: (call) => openCall({ call, guard, now, send, get, readAgent }),
    async openStream({ url, baseUrl, credentials, signal }) {
      const target = guard.checkUrl(url);
      // Without compression `content-length` counts the file's own bytes.
      const headers = new Headers({ accept: '*/*', 'accept-encoding': 'identity' });
      const homeOrigin = originOf(baseUrl);
      if (target.origin === homeOrigin)
        for (const [name, value] of Object.entries(credentials)) headers.set(name, value);
      return get({ url: target, headers, homeOrigin, credentials, signal });
    },
    close: () => readAgent.close(),
  };
}

type Machinery = {
  call: CallOptions;
  guard: OutboundGuard;
  now: () => Date;
  send(
    url: URL,
    init: { method: string; headers: Headers; body?: BodyInit; signal: AbortSignal; dispatcher: Dispatcher },
  ): Promise<WireResponse>;
  get(input: {
    url: URL;
    headers: Headers;
    homeOrigin: string;
    credentials: CallOptions['credentials'];
    signal: AbortSignal;
  }): Promise<WireResponse>;
  readAgent: Dispatcher;
};

function openCall({ call, guard, now, send, get, readAgent }: Machinery): HttpCall {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error('time limit')), call.timeoutMs);
  const signal = AbortSignal.any([call.signal, limit.signal]);
  const homeOrigin = originOf(call.baseUrl);
  let started = false;
  let created = false;

  const stopped = (): FailureContext['stopped'] =>
    limit.signal.aborted ? 'timeout' : call.signal.aborted ? 'aborted' : undefined;

  async function finish(response: WireResponse, maxBytes: number): Promise<UpstreamResponse> {
    return bufferedResponse(response, await readBody(response, maxBytes), now());
  }

  async function sendOnce(
    request: UpstreamRequest,
    url: URL,
    headers: Headers,
  ): Promise<UpstreamResponse | UpstreamFailure> {
    if (created) throw new Error('A create is one request; the adapter tried to send a second one.');
    const body = bodyOf(request);
    const connection = createSingleUseConnection(guard);
    created = true;
    started = true;
    try {
      const { dispatcher } = connection;
      const response = await send(url, { method: request.method, headers, body, signal, dispatcher });
      return await finish(response, request.maxBytes ?? CREATE_MAX_BYTES);
    } catch (error) {
      // Destroyed first: the connection's record is final only when nothing can be written any more.
      await connection.destroy();
      return failureOf(error, { connection: connection.state(), stopped: stopped() });
    } finally {
      void connection.destroy().catch(() => {});
    }
  }

  return {
    started: () => started,
    close: () => clearTimeout(timer),
    async request(request) {
      if (signal.aborted) {
        return {
          type: 'failure',
          sent: started,
          phase: started ? 'after_send' : 'connect',
          errorClass: stopped() ?? 'aborted',
          message: 'The call was stopped before the request.',
        };
      }
      let url: URL;
      let headers: Headers;
      try {
        url = guard.checkUrl(targetUrl(call.baseUrl, request));
        headers = headersFor(request, url.origin === homeOrigin ? call.credentials : {});
      } catch (error) {
        return unsendable(error);
      }
      if (url.origin !== homeOrigin) dropCredentials(headers, call.credentials);
      if (call.mode === 'create' && request.method !== 'GET') return sendOnce(request, url, headers);
      started = true;
      try {
        const response =
          request.method === 'GET'
            ? await get({ url, headers, homeOrigin, credentials: call.credentials, signal })
            : await send(url, {
                method: request.method,
                headers,
                body: bodyOf(request),
                signal,
                dispatcher: readAgent,
              });
        return await finish(response, request.maxBytes ?? READ_MAX_BYTES);
      } catch (error) {
        return failureOf(error, { stopped: stopped() });
      }
    },
  };
}

function failureOf(error: unknown, context: FailureContext): UpstreamFailure {
  if (error instanceof BodyTooLargeError) {
    return {
      type: 'failure',
      sent: true,
      phase: 'after_send',
      errorClass: 'bad_body',
      message: error.message,
    };
  }
  return classifyFailure(error, context);
}

/** The request could not even be put together. The error of a bad header quotes its value, so it is not passed on. */
function unsendable(error: unknown): UpstreamFailure {
  if (error instanceof OutboundRefusedError) return classifyFailure(error);
  const message = 'The base URL or the key of this channel cannot be used in a request. Correct the channel.';
  return { type: 'failure', sent: false, phase: 'guard', errorClass: 'internal', message };
}
