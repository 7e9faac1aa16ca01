import { browserTrpc } from '#app/lib/browser-trpc.ts';
import type { AskQuote } from './use-cost.ts';

/** The server's price for an order, in the browser. */
export const askQuote: AskQuote = async (input, signal) =>
  (await browserTrpc()).generation.quote.query(input, { signal });
