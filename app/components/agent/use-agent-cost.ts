import { useEffect, useState } from 'react';
import {
  type AgentQuoteInput,
  type AgentQuoteView,
  agentQuoteInput,
} from '#server/generation/agent/schemas.ts';

/** An order that would not be accepted, and why. */
type Refusal = { refusal: string };

/** `agents.quote`, handed in so that tests need no network. */
export type AskAgentQuote = (
  input: AgentQuoteInput,
  signal: AbortSignal,
) => Promise<AgentQuoteView | Refusal>;

export type AgentCost = {
  /** What is held: the budget as typed; null while it is no number. */
  capCredits: number | null;
  balanceCredits: number;
  affordable: boolean;
  /** The server's view of this very order; null until it has answered. */
  quote: AgentQuoteView | null;
  /** Why the server would not take this order. */
  refusal: string | null;
};

/** What the quote depends on, as it stands in the form: unchecked. */
export type AgentOrder = {
  model: string;
  allowed: { kind: string; model: string }[];
  budgetCredits: number;
  maxSteps: number;
};

/** A quote and what it was the answer to. */
type Answer = { asked: string; balanceCredits: number; after: unknown; quote: AgentQuoteView | Refusal };

const QUOTE_DELAY_MS = 300;

type UseAgentCostInput = {
  order: AgentOrder;
  /** As the page was loaded; a quote brings a newer one. */
  balanceCredits: number;
  askQuote?: AskAgentQuote;
  /** The last answer to a submit: after each one it is asked for again. */
  after?: unknown;
};

/** What the form as it stands would hold, and what a usual run would cost, asked of the server while it is filled in. */
export function useAgentCost({ order, balanceCredits, askQuote, after }: UseAgentCostInput): AgentCost {
  const asked = JSON.stringify(order);
  const [answer, setAnswer] = useState<Answer | null>(null);

  useEffect(() => {
    const parsed = agentQuoteInput.safeParse(JSON.parse(asked));
    if (!askQuote || !parsed.success) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      askQuote(parsed.data, abort.signal).then(
        (quote) => {
          if (!abort.signal.aborted) setAnswer({ asked, balanceCredits, after, quote });
        },
        // The budget as typed stays; the submit is checked again by the server.
        () => {},
      );
    }, QUOTE_DELAY_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked, balanceCredits, askQuote, after]);

  const isCurrent = answer?.asked === asked && answer.balanceCredits === balanceCredits;
  const view = isCurrent ? answer.quote : null;
  const quote = view && 'capCredits' in view ? view : null;
  const { data: budget } = agentQuoteInput.shape.budgetCredits.safeParse(order.budgetCredits);
  const capCredits = quote?.capCredits ?? budget ?? null;
  return {
    capCredits,
    balanceCredits: quote?.balanceCredits ?? balanceCredits,
    affordable: quote?.affordable ?? (capCredits === null || capCredits <= balanceCredits),
    quote,
    refusal: view && 'refusal' in view ? view.refusal : null,
  };
}
