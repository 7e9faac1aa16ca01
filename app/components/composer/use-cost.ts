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
  /** UTF-8 bytes of the prompt: a price per block of tokens counts them. */
  promptBytes: number;
  /** Balance as the page was loaded; a quote brings a newer one. */
  balanceCredits: number;
  askQuote?: AskQuote;
  /** The last answer to a submit: after each one the price is asked for again, for it may be what was refused. */
  after?: unknown;
};

/**
 * What the form as it stands would hold: computed at once from the price rule, then confirmed by the server. Should
 * the two differ, the server's number is shown.
 */
export function useCost({ model, params, balanceCredits, askQuote, after, ...prompt }: UseCostInput): Cost {
  const promptBytes = model.price.unit === 'tokens' ? prompt.promptBytes : undefined;
  const order = `${model.slug} ${JSON.stringify(params)} ${promptBytes ?? ''} ${balanceCredits}`;
  const [quote, setQuote] = useState<{ order: string; view: QuoteView } | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `order` stands for model, params and prompt, which are new each time; `after` is a reason to ask again
  useEffect(() => {
    if (!askQuote) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      askQuote({ kind: model.kind, model: model.slug, params, promptBytes }, abort.signal).then(
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
  }, [order, askQuote, after]);

  if (quote?.order === order) {
    const { credits, affordable } = quote.view;
    return { credits, confirmed: true, balanceCredits: quote.view.balanceCredits, affordable };
  }
  const credits = creditsFor(model, { params, promptBytes });
  return { credits, confirmed: false, balanceCredits, affordable: credits <= balanceCredits };
}
