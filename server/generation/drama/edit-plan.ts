import { isDeepStrictEqual } from 'node:util';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { type CompositeRow, updateComposite } from '../composite/queries.ts';
import { readOwnComposite } from '../composite/view-queries.ts';
import { appendEvent } from '../event-queries.ts';
import { changeDrama } from './change-drama.ts';
import { countShots, planOf, settingsOf } from './composite-state.ts';
import { loadDramaModels } from './load-models.ts';
import { placeShots } from './place-shots.ts';
import { quotePlan } from './quote-plan.ts';
import { refuseDearer, refuseProblems } from './refusals.ts';
import { type DramaPlan, dramaPlan } from './schemas.ts';

/**
 * Saves an edited storyboard: all of it, as the version after the one that was edited.
 *
 * @throws AppError `conflict` when it was changed in between, changes a locked shot, or is not in review any more
 */
export async function savePlan(
  deps: Deps,
  input: { userId: string; taskId: string; planVersion: number; plan: DramaPlan },
): Promise<{ planVersion: number }> {
  const { userId, taskId, plan } = input;
  return changeDrama(deps, { userId, taskId, phase: 'review', goesOn: false }, async (tx, composite) => {
    refuseOtherVersion(composite, input.planVersion);
    refuseLocked(planOf(composite), plan);
    await updateComposite(tx, taskId, { plan });
    await appendEvent(tx, taskId, {
      type: 'plan_changed',
      actor: `user:${userId}`,
      reason: `The storyboard was changed: ${countShots(plan)}.`,
    });
    return { planVersion: composite.planVersion + 1 };
  });
}

/** @throws AppError `conflict` for a locked shot that is gone, or changed though it stays locked */
function refuseLocked(before: DramaPlan | null, after: DramaPlan): void {
  for (const [index, shot] of (before?.shots ?? []).entries()) {
    if (!shot.locked) continue;
    const next = after.shots.find(({ id }) => id === shot.id);
    if (next && (!next.locked || isDeepStrictEqual(next, shot))) continue;
    throw new AppError('conflict', `Shot ${index + 1} is locked. Unlock it before you change or remove it.`);
  }
}

/**
 * Starts the shots of a storyboard. The whole plan is checked and priced first; then its exact price is held, and nothing
 * can cost more.
 *
 * @throws AppError `conflict`, `unprocessable` for a plan that cannot be made or is dearer than quoted, `insufficient_credits`
 */
export async function startShots(
  deps: Deps,
  input: { userId: string; taskId: string; planVersion: number; quotedCredits?: number },
): Promise<{ heldCredits: number }> {
  const { userId, taskId } = input;
  const before = await readOwnComposite(deps.db, { userId, taskId });
  const settings = before && settingsOf(before.composite);
  // Prices are read outside the lock; the version below makes sure that they are those of this plan.
  const models = settings?.models && (await loadDramaModels(deps, settings.models));
  return changeDrama(deps, { userId, taskId, phase: 'review', goesOn: true }, async (tx, composite) => {
    refuseOtherVersion(composite, input.planVersion);
    const checked = dramaPlan.safeParse(planOf(composite));
    if (!checked.success || !models || !settings) {
      throw new AppError('unprocessable', checked.error?.issues[0]?.message ?? 'There is no storyboard yet.');
    }
    const quote = quotePlan(checked.data, settings, models);
    refuseProblems(quote.problems);
    refuseDearer(quote.totalCredits, input.quotedCredits);
    await placeShots(tx, { taskId, userId, quote, actor: `user:${userId}` });
    return { heldCredits: quote.totalCredits };
  });
}

function refuseOtherVersion({ planVersion }: CompositeRow, edited: number): void {
  if (planVersion === edited) return;
  throw new AppError(
    'conflict',
    'The storyboard was changed in another window. Reload the page to see it; nothing was saved or started.',
  );
}
