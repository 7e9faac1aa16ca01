import { useEffect, useState } from 'react';
import type { ParameterValues } from '#app/components/parameters/parameter-values.ts';
import type { ModelView, QuoteInput, QuoteView } from '#server/generation/schemas.ts';
import { creditsFor } from './price.ts';

/** `generation.quote`, handed in so that tests need no network. */
export type AskQuote = (input: QuoteInput, signal: AbortSignal) => Promise<QuoteView>;

export type Cost = {
  credits: number;
  /** The server has confirmed this amount. */
  confirmed: boolean;
  balanceCredits: number;
  affordable: boolean;
};

const QUOTE_DELAY_MS = 300;

type UseCostInput = {
  model: ModelView;
  params: ParameterValues;
  /** Balance as the page was loaded; a quote brings a newer one. */
  balanceCredits: number;
  askQuote?: AskQuote;
};

/**
 * What the form as it stands would hold: computed at once from the price rule, then confirmed by the server. Should
 * the two differ, the server's number is shown.
 */
export function useCost({ model, params, balanceCredits, askQuote }: UseCostInput): Cost {
  const order = `${model.slug} ${JSON.stringify(params)} ${balanceCredits}`;
  const [quote, setQuote] = useState<{ order: string; view: QuoteView } | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `order` stands for model and params, which are new objects each time
  useEffect(() => {
    if (!askQuote) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      askQuote({ kind: model.kind, model: model.slug, params }, abort.signal).then(
        (view) => {
          if (!abort.signal.aborted) setQuote({ order, view });
        },
        // The computed price stays; the submit is quoted again by the server.
        () => {},
      );
    }, QUOTE_DELAY_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [order, askQuote]);

  if (quote?.order === order) {
    const { credits, affordable } = quote.view;
    return { credits, confirmed: true, balanceCredits: quote.view.balanceCredits, affordable };
  }
  const credits = creditsFor(model.price, params);
  return { credits, confirmed: false, balanceCredits, affordable: credits <= balanceCredits };
}
