import { formatCredits, formatInteger } from '#app/lib/format.ts';
import type { BudgetView, CompositeView } from '#server/generation/composite/schemas.ts';
import { isTerminal, type Status } from '#server/generation/status.ts';

/** Pure texts about agents and dramas. Times are not in them: components show those, in the reader's zone. */

/** The budget in a sentence: what was expected against what was spent. */
export function budgetWords(budget: BudgetView, ended: boolean): string {
  const { estimateCredits, heldCredits, spentCredits, freeCredits } = budget;
  const spent = formatCredits(spentCredits);
  if (heldCredits === null) {
    const sofar = spentCredits > 0 ? ` ${spent} ${spentCredits === 1 ? 'was' : 'were'} spent so far.` : '';
    return ended ? `No budget was held.${sofar}` : `No budget is held yet.${sofar}`;
  }
  const expected = estimateCredits === null ? '' : `, about ${formatInteger(estimateCredits)} expected`;
  if (!ended)
    return `${spent} spent so far${expected}. It never costs more than ${formatCredits(heldCredits)}.`;
  if (freeCredits === 0) return `${spent} spent${expected}. Nothing of the budget is left.`;
  return `${spent} spent${expected}. The rest of the budget goes back to your balance.`;
}

type Waiting = Pick<CompositeView, 'waitingFor' | 'paused' | 'stopRequested'> & {
  task: { status: Status; cancelRequested: boolean };
};

/** What a composite waits for and what happens next; null while nothing but its own work is waited for. */
export function waitingWords(view: Waiting): { title: string; text: string } | null {
  if (isTerminal(view.task.status)) return null;
  if (view.task.cancelRequested) {
    return {
      title: 'Being cancelled',
      text: 'Nothing new is started. It ends when every part under way has ended; what is delivered until then is kept and charged.',
    };
  }
  if (view.stopRequested) {
    return {
      title: 'Stopping with what is there',
      text: 'Nothing new is started. It ends when every part under way has ended.',
    };
  }
  if (view.paused) {
    return {
      title: 'Paused',
      text: 'Parts under way go on to their end; nothing new is started until you resume.',
    };
  }
  if (view.waitingFor === 'user') {
    return {
      title: 'It waits for you',
      text: 'Nothing is started or charged meanwhile. You can close this page.',
    };
  }
  return null;
}
