import { trpcClient } from '#app/lib/trpc-client.ts';
import type { AskQuote } from './use-cost.ts';

/** The server's price for an order, in the browser. */
export const askQuote: AskQuote = (input, signal) => trpcClient().generation.quote.query(input, { signal });
