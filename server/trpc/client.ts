import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from '@trpc/client';
import { ofetch } from 'ofetch';
import superjson from 'superjson';
import { FetchEventSource } from './fetch-event-source.ts';
import type { AppRouter } from './root.ts';

export type { AppRouter } from './root.ts';

export type ClientOptions = {
  /** Where Sidelane runs, e.g. `https://lane.example`. */
  url: string;
  /** An API token (`sdl_…`) with the scopes that the calls need. */
  token?: string;
  /** Sent with every call. */
  headers?: Record<string, string>;
  /** Longest wait for one answer, in milliseconds. Subscriptions stay open. */
  timeoutMs?: number;
};

export type SidelaneClient = TRPCClient<AppRouter>;

/**
 * A typed client for other TypeScript services. Calls of one tick travel together; nothing is ever sent twice by
 * itself: give `generation.submit` a request key and repeat it when an answer was lost.
 */
export function createClient({ url, token, headers, timeoutMs = 60_000 }: ClientOptions): SidelaneClient {
  const endpoint = `${url.replace(/\/+$/, '')}/api/trpc`;
  const allHeaders = { ...headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };

  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (op) => op.type === 'subscription',
        true: httpSubscriptionLink({
          url: endpoint,
          transformer: superjson,
          EventSource: FetchEventSource,
          eventSourceOptions: { headers: allHeaders },
        }),
        false: httpBatchLink({
          url: endpoint,
          transformer: superjson,
          headers: allHeaders,
          maxItems: 20,
          fetch: (input, init) => fetchOnce(String(input), init ?? {}, timeoutMs),
        }),
      }),
    ],
  });
}

type FetchInit = { method?: string; headers?: unknown; body?: unknown; signal?: AbortSignal | null };

/**
 * One request through ofetch. As a stream and without its error handling, so that tRPC reads the body itself; without
 * its retries, which would repeat a mutation. It ignores `timeout` beside a signal, so both become one signal.
 */
async function fetchOnce(url: string, init: FetchInit, timeoutMs: number): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await ofetch.raw(url, {
    method: init.method,
    headers: init.headers as Record<string, string>,
    body: init.body as string,
    signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout,
    responseType: 'stream',
    ignoreResponseError: true,
    retry: false,
  });
  return response as unknown as Response;
}
