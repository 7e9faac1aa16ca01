import type { TFunction } from 'i18next';
import type { Format } from '#app/lib/use-format.ts';
import type { BudgetView, CompositeView } from '#server/generation/composite/schemas.ts';
import { isTerminal, type Status } from '#server/generation/status.ts';

/** Pure texts about agents and dramas. Times are not in them: components show those, in the reader's zone. */

type Say = { t: TFunction<'composite'>; format: Pick<Format, 'credits' | 'integer'> };

/** The budget in a sentence: what was expected against what was spent. */
export function budgetWords(budget: BudgetView, ended: boolean, { t, format }: Say): string {
  const { estimateCredits, heldCredits, spentCredits, freeCredits } = budget;
  const spent = format.credits(spentCredits);
  if (heldCredits === null) {
    const none = ended ? 'noneEnded' : 'none';
    if (spentCredits === 0) return t(`budget.${none}`);
    return t(`budget.${none}Spent`, { count: spentCredits, spent });
  }
  const isExpected = estimateCredits === null ? '' : 'Expected';
  const values = { spent, held: format.credits(heldCredits), expected: format.integer(estimateCredits ?? 0) };
  if (!ended) return t(`budget.live${isExpected}`, values);
  return t(`budget.${freeCredits === 0 ? 'endedAll' : 'endedRest'}${isExpected}`, values);
}

type Waiting = Pick<CompositeView, 'waitingFor' | 'paused' | 'stopRequested'> & {
  task: { status: Status; cancelRequested: boolean };
};

/** What a composite waits for, by its texts; null while nothing but its own work is waited for. */
export function waitingCause(view: Waiting): 'cancelling' | 'stopping' | 'paused' | 'user' | null {
  if (isTerminal(view.task.status)) return null;
  if (view.task.cancelRequested) return 'cancelling';
  if (view.stopRequested) return 'stopping';
  if (view.paused) return 'paused';
  return view.waitingFor === 'user' ? 'user' : null;
}
