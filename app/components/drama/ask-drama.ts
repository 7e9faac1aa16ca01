import { trpcClient } from '#app/lib/trpc-client.ts';
import type { DramaQuoteView } from '#server/generation/drama/schemas.ts';
import type { PlanQuoteAnswer } from './plan-quote-answer.ts';
import type { AskOrderQuote } from './use-order-quote.ts';
import { type AskPlanQuote, QuoteRefused } from './use-plan-quote.ts';

/** About what an order costs, in the browser. */
export const askOrderQuote: AskOrderQuote = (input, signal) =>
  trpcClient().dramas.quote.query(input, { signal });

/** The server's price of a plan, in the browser; posted, because a storyboard does not fit into an address. */
export const askPlanQuote: AskPlanQuote = async (input, signal): Promise<DramaQuoteView> => {
  const response = await fetch('/workbench/dramas/quote', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
    signal,
  });
  const answer = (await response.json()) as PlanQuoteAnswer;
  if ('quote' in answer) return answer.quote;
  throw new QuoteRefused(answer.error);
};
