import { useEffect, useState } from 'react';
import type { DramaPlan, DramaQuoteView } from '#server/generation/drama/schemas.ts';

/** `dramas.quote` of a plan, handed in so that tests need no network. */
export type AskPlanQuote = (
  input: { taskId: string; plan: DramaPlan },
  signal: AbortSignal,
) => Promise<DramaQuoteView>;

/** The server has no price for this; the message says why, for the user. */
export class QuoteRefused extends Error {}

const QUOTE_DELAY_MS = 500;

type Asked = {
  taskId: string;
  /** What is to be priced; null: nothing, or nothing that has a price yet. */
  plan: DramaPlan | null;
  askQuote: AskPlanQuote | undefined;
  /** The last answer to a submit: after each one the price is asked for again, for it may be what was refused. */
  after?: unknown;
};

/** `problem`: why there is no price, in the server's words. Both null: not known yet. */
export type PlanPrice = { quote: DramaQuoteView | null; problem: string | null };

const UNKNOWN: PlanPrice = { quote: null, problem: null };

/** The server's price of a plan that is not saved, a moment after it was last changed. */
export function usePlanQuote({ taskId, plan, askQuote, after }: Asked): PlanPrice {
  const [known, setKnown] = useState<{ plan: DramaPlan; price: PlanPrice } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `after` is a reason to ask again
  useEffect(() => {
    if (!askQuote || plan === null) return;
    const abort = new AbortController();
    const keep = (price: PlanPrice) => {
      if (!abort.signal.aborted) setKnown({ plan, price });
    };
    const timer = setTimeout(() => {
      askQuote({ taskId, plan }, abort.signal).then(
        (quote) => keep({ quote, problem: null }),
        // Without an answer the price stays unknown; what is started is quoted again by the server.
        (error: unknown) =>
          keep({ quote: null, problem: error instanceof QuoteRefused ? error.message : null }),
      );
    }, QUOTE_DELAY_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [taskId, plan, askQuote, after]);
  return known !== null && known.plan === plan ? known.price : UNKNOWN;
}
