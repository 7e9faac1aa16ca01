import { useFetcher } from '@remix-run/react';
import { useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { useRefresh } from '#app/lib/use-refresh.ts';
import type { DramaPlan } from '#server/generation/drama/schemas.ts';
import type { DramaAnswer } from './drama-answer.ts';
import { editPlan, openPlan } from './plan-edit.ts';
import { type PlanErrors, planErrors } from './plan-errors.ts';

type Loaded = { taskId: string; plan: DramaPlan; planVersion: number };

const NONE: PlanErrors = {};

/**
 * A storyboard while it is edited: the plan as it stands on the page, what it was read as, and what became of saving
 * it. A newer plan from elsewhere is taken over at once where nothing was changed here; otherwise the reader chooses.
 */
export function usePlanEditor({ taskId, plan, planVersion }: Loaded) {
  const fetcher = useFetcher<DramaAnswer>({ key: `drama-plan-${taskId}` });
  const refresh = useRefresh();
  const [state, dispatch] = useReducer(editPlan, plan, openPlan);
  const [base, setBase] = useState({ plan, planVersion });
  const [isChecked, setIsChecked] = useState(false);
  const [settled, setSettled] = useState<DramaAnswer | undefined>(undefined);
  const sent = useRef<DramaPlan | null>(null);
  const isSaving = fetcher.state !== 'idle';
  const isDirty = state.plan !== base.plan;
  const isBehind = planVersion > base.planVersion && !isSaving;

  const answer = fetcher.data;
  useEffect(() => {
    if (answer?.saved && sent.current) {
      setBase({ plan: sent.current, planVersion: answer.saved.planVersion });
      setIsChecked(false);
      sent.current = null;
    }
    if (answer?.conflict) refresh();
  }, [answer, refresh]);

  useEffect(() => {
    if (!isBehind || isDirty) return;
    setBase({ plan, planVersion });
    dispatch({ type: 'replace', plan });
  }, [isBehind, isDirty, plan, planVersion]);

  const found = useMemo(() => planErrors(state.plan), [state.plan]);
  const isValid = Object.keys(found).length === 0;
  const fromServer = isSaving ? undefined : answer?.planErrors;
  const conflict = isBehind && isDirty ? { planVersion } : null;

  return {
    state,
    dispatch,
    base,
    isDirty,
    isSaving,
    isValid,
    /** Shown once somebody has tried to save; those of the procedure after that. */
    errors: isChecked ? (isValid ? (fromServer ?? NONE) : found) : NONE,
    error: isSaving || conflict || answer === settled ? undefined : answer?.error,
    /** Somebody else has saved another plan meanwhile. */
    conflict,
    /** @returns false where the plan has errors, which are then shown */
    save(): boolean {
      setIsChecked(true);
      if (!isValid) return false;
      sent.current = state.plan;
      fetcher.submit(
        { intent: 'save', planVersion: String(base.planVersion), plan: JSON.stringify(state.plan) },
        { method: 'post', action: `/workbench/dramas/${taskId}` },
      );
      return true;
    },
    keepMine() {
      setSettled(answer);
      setBase({ plan, planVersion });
    },
    takeTheirs() {
      setSettled(answer);
      setBase({ plan, planVersion });
      dispatch({ type: 'replace', plan, said: { key: 'newer' } });
    },
    discard() {
      setSettled(answer);
      setIsChecked(false);
      dispatch({ type: 'replace', plan: base.plan, said: { key: 'discarded' } });
    },
  };
}

export type PlanEditor = ReturnType<typeof usePlanEditor>;
