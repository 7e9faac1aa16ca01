import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client';
import { createFetch } from 'ofetch';
import superjson from 'superjson';
import { Agent, fetch as undiciFetch } from 'undici';
import type { AppRouter } from '#server/trpc/root.ts';
import type { DaemonEnv } from './env.ts';
import { PROTOCOL_HEADER, PROTOCOL_VERSION, WORKER_ID_HEADER } from './protocol.ts';

export type MaintenanceClient = Pick<TRPCClient<AppRouter>, 'maintenance'>;
export type ClientHandle = { client: MaintenanceClient; close(): Promise<void> };

/**
 * The typed door to the web process. Calls are not batched, so that a waiting one holds up no other, and carry no time
 * limit of their own: the caller's signal ends them.
 */
export function createMaintenanceClient(env: Pick<DaemonEnv, 'origin' | 'token' | 'workerId'>): ClientHandle {
  // fetch gives up after 300 s without an answer by default; here the caller's signal decides.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000 } });
  // The agent and the fetch of one undici release belong together: Node's own fetch is another release.
  const { raw } = createFetch({ fetch: undiciFetch as unknown as typeof fetch });

  const client = createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${env.origin}/api/trpc`,
        transformer: superjson,
        headers: {
          authorization: `Bearer ${env.token}`,
          [WORKER_ID_HEADER]: env.workerId,
          [PROTOCOL_HEADER]: String(PROTOCOL_VERSION),
        },
        async fetch(input, init) {
          const response = await raw(String(input), {
            method: init?.method,
            headers: init?.headers as Record<string, string>,
            body: init?.body as string | undefined,
            signal: init?.signal ?? undefined,
            // tRPC reads status and body itself, and only a lane may try again.
            responseType: 'stream',
            ignoreResponseError: true,
            retry: false,
            // The token goes to this origin and nowhere else.
            redirect: 'manual',
            dispatcher: dispatcher as never,
          });
          if (response.status >= 300 && response.status < 400) {
            await response.body?.cancel();
            throw new Error(
              `answered with a redirect (${response.status}): set SIDELANE_ORIGIN to its target`,
            );
          }
          return response;
        },
      }),
    ],
  });
  return { client, close: () => dispatcher.destroy() };
}
