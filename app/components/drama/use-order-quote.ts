import { useEffect, useState } from 'react';
import type { DramaQuoteInput, DramaQuoteView } from '#server/generation/drama/schemas.ts';

export type OrderToQuote = Exclude<DramaQuoteInput, { taskId: string }>;

/** `dramas.quote` of an order, handed in so that tests need no network. */
export type AskOrderQuote = (input: OrderToQuote, signal: AbortSignal) => Promise<DramaQuoteView>;

const QUOTE_DELAY_MS = 300;

/** About what an order costs, a moment after it was last changed; null until it is known. */
export function useOrderQuote(
  order: OrderToQuote | null,
  askQuote: AskOrderQuote | undefined,
): DramaQuoteView | null {
  const name = JSON.stringify(order);
  const [known, setKnown] = useState<{ name: string; quote: DramaQuoteView } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `name` stands for the order, which is new each time
  useEffect(() => {
    if (!askQuote || order === null) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      askQuote(order, abort.signal).then(
        (quote) => {
          if (!abort.signal.aborted) setKnown({ name, quote });
        },
        // It is only a hint: the exact price is shown before the shots start.
        () => {},
      );
    }, QUOTE_DELAY_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [name, askQuote]);
  return known?.name === name ? known.quote : null;
}
