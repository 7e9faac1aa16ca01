import { AppError } from '#server/lib/app-error.ts';
import { readComposite, updateStep } from '../composite/queries.ts';
import { underLease } from '../composite/start-child.ts';
import type { CompositeAction, CompositeStep } from '../composite/step.ts';
import { isStoryboard, storyboardResult } from './advance-storyboard.ts';
import { planOf, settingsOf } from './composite-state.ts';
import { loadDramaModels } from './load-models.ts';
import { placeShots } from './place-shots.ts';
import { quotePlan } from './quote-plan.ts';

const WAIT: CompositeAction = { type: 'wait', for: 'user' };

/** Waits for the user, or starts the shots by itself when they asked for that and nothing speaks against it. */
export async function advanceReview(step: CompositeStep): Promise<CompositeAction> {
  const { startBelowCredits } = settingsOf(step.composite);
  const storyboard = step.steps.findLast(isStoryboard);
  if (startBelowCredits === undefined || !storyboard) return WAIT;
  const result = storyboardResult(storyboard);
  // A plan that was edited is in the user's hands, and what was refused once is not tried again behind their back.
  if (step.composite.planVersion !== 1 || result.notStarted !== undefined || result.problem !== null)
    return WAIT;
  try {
    await startByItself(step, startBelowCredits);
    return { type: 'again', progress: 0 };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { key } = storyboard;
    const problem = `The shots did not start by themselves: ${error.message}`;
    await underLease(step, (tx) =>
      updateStep(tx, {
        taskId: step.lease.taskId,
        key,
        from: ['done'],
        to: 'done',
        result: { ...result, notStarted: problem },
      }),
    );
    return WAIT;
  }
}

/** @throws AppError with the reason why it is left to the user */
async function startByItself(step: CompositeStep, startBelowCredits: number): Promise<void> {
  const { deps, composite, claimed, lease } = step;
  const settings = settingsOf(composite);
  const plan = planOf(composite);
  if (!plan) throw new Error('A drama in review has no plan');
  const quote = quotePlan(plan, settings, await loadDramaModels(deps, settings.models));
  if (quote.problems[0] !== undefined) throw new AppError('unprocessable', quote.problems[0]);
  if (quote.totalCredits > startBelowCredits) {
    throw new AppError(
      'unprocessable',
      `they cost ${quote.totalCredits} credits, more than the ${startBelowCredits} that you allowed.`,
    );
  }
  await underLease(step, async (tx) => {
    const now = await readComposite(tx, lease.taskId);
    // Edited or started by the user in this very moment: that stands.
    if (now?.phase !== 'review' || now.planVersion !== composite.planVersion) return;
    await placeShots(tx, { taskId: lease.taskId, userId: claimed.task.userId, quote, actor: 'executor' });
  });
}
