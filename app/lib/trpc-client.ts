import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import superjson from 'superjson';
import type { AppRouter } from '#server/trpc/root.ts';

export type TrpcClient = ReturnType<typeof createTRPCClient<AppRouter>>;

let client: TrpcClient | undefined;

/**
 * The browser's way to the procedures: same origin, session cookie, calls of one tick in one request, subscriptions
 * over server-sent events that reconnect by themselves. Never call it while rendering on the server.
 */
export function trpcClient(): TrpcClient {
  client ??= createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url: '/api/trpc', transformer: superjson }),
        false: httpBatchLink({ url: '/api/trpc', transformer: superjson, maxURLLength: 2_000 }),
      }),
    ],
  });
  return client;
}
