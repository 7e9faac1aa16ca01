import { type RefObject, useCallback, useEffect, useState } from 'react';
import { DEFAULT_AGENT_STEPS } from '#server/generation/agent/schemas.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import type { AgentOrder } from './use-agent-cost.ts';

/** Credits that the form suggests. */
export const DEFAULT_BUDGET = 100;

/** Reads the order from the form itself, so that input from before hydration counts too. */
export function useAgentOrder(formRef: RefObject<HTMLFormElement>, models: readonly ModelView[]) {
  const [read, setRead] = useState<{ order: AgentOrder; goalLength: number }>({
    order: { model: '', allowed: [], budgetCredits: DEFAULT_BUDGET, maxSteps: DEFAULT_AGENT_STEPS },
    goalLength: 0,
  });
  const readForm = useCallback(() => {
    if (!formRef.current) return;
    const data = new FormData(formRef.current);
    const kinds = new Map<string, string>(models.map(({ slug, kind }) => [slug, kind]));
    const text = (name: string) => String(data.get(name) ?? '').trim();
    setRead({
      order: {
        model: text('model'),
        allowed: data
          .getAll('allowed')
          .map(String)
          .map((model) => ({ kind: kinds.get(model) ?? '', model })),
        budgetCredits: numberOf(text('budgetCredits')),
        maxSteps: numberOf(text('maxSteps')),
      },
      goalLength: text('goal').length,
    });
  }, [formRef, models]);
  useEffect(readForm, [readForm]);
  return { ...read, read: readForm };
}

const numberOf = (text: string): number => (text === '' ? Number.NaN : Number(text));
