import { placeHold } from '#server/billing/holds.ts';
import type { Tx } from '#server/db/client.ts';
import { insertStep, updateComposite } from '../composite/queries.ts';
import { appendEvent } from '../event-queries.ts';
import { stepKey } from './parts.ts';
import type { PlanQuote } from './quote-plan.ts';

/**
 * Starts the shots: the budget is held, every part is recorded and the phase changes in the caller's transaction, which
 * has locked the task's row and looked at its phase.
 *
 * @throws AppError `insufficient_credits`, `forbidden` past a limit of the cost guard
 */
export async function placeShots(
  tx: Tx,
  input: { taskId: string; userId: string; quote: PlanQuote; actor: string },
): Promise<void> {
  const { taskId, userId, quote, actor } = input;
  const credits = quote.totalCredits;
  await placeHold(tx, { taskId, userId, credits, reason: 'Held as the budget of a drama', isBudget: true });
  for (const { base, name, credits: partCredits } of quote.parts) {
    await insertStep(tx, { taskId, key: stepKey(base, 1), kind: name, input: { credits: partCredits } });
  }
  await updateComposite(tx, taskId, { phase: 'shots', estimateCredits: credits });
  await appendEvent(tx, taskId, {
    type: 'shots_started',
    actor,
    reason: `The shots were started; ${credits} credits are held.`,
    data: { credits, parts: quote.parts.length },
  });
}
