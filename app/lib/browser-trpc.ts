import type { TrpcClient } from './trpc-client.ts';

/** {@link trpcClient}, fetched when the first call is made: no page needs it before it is there. */
export async function browserTrpc(): Promise<TrpcClient> {
  const { trpcClient } = await import('./trpc-client.ts');
  return trpcClient();
}
