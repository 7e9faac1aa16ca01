import { readHold } from '#server/billing/queries.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { insertStep, readSteps, updateComposite } from '../composite/queries.ts';
import { readOwnComposite } from '../composite/view-queries.ts';
import { appendEvent } from '../event-queries.ts';
import { changeDrama } from './change-drama.ts';
import { planOf, settingsOf } from './composite-state.ts';
import { loadDramaModels } from './load-models.ts';
import { type DramaModels, orderPart } from './order-part.ts';
import { newestParts, type PartStep, stepKey } from './parts.ts';
import { describePart } from './quote-plan.ts';
import { refuseProblems } from './refusals.ts';
import type { ShotPart } from './schemas.ts';

type Input = {
  userId: string;
  taskId: string;
  decision: 'retry' | 'finish_without';
  shotId?: string;
  part?: ShotPart;
};

/**
 * Of a film whose parts failed in part: makes them again, or goes on without them. A retry is paid from what the failed
 * ones gave back to the budget; what is finished is neither made nor charged again.
 *
 * @throws AppError `conflict` when nothing like that failed, `insufficient_credits` when the budget does not reach
 */
export async function decideFailedParts(deps: Deps, input: Input): Promise<void> {
  const { userId, taskId, decision } = input;
  const actor = `user:${userId}`;
  const models = decision === 'retry' ? await modelsNow(deps, { userId, taskId }) : null;
  await changeDrama(deps, { userId, taskId, phase: 'failed_parts', goesOn: true }, async (tx, composite) => {
    if (decision === 'finish_without') {
      await updateComposite(tx, taskId, { phase: 'composing' });
      const reason = 'The film is put together without what failed.';
      await appendEvent(tx, taskId, { type: 'finishes_without', actor, reason });
      return;
    }
    const plan = planOf(composite);
    if (!plan || !models) throw new Error('A drama has failed parts without a plan');
    const again = partsToRetry(await readSteps(tx, taskId), input);
    const problems: string[] = [];
    let credits = 0;
    for (const part of again) {
      const order = orderPart(part, { plan, ratio: settingsOf(composite).ratio, models });
      if ('problem' in order) {
        problems.push(`${describePart(part, plan)}: ${order.problem}`);
        continue;
      }
      credits += order.credits;
      const step = {
        key: stepKey(part.base, part.rev + 1),
        kind: part.name,
        input: { credits: order.credits },
      };
      await insertStep(tx, { ...step, taskId });
    }
    refuseProblems(problems);
    await refuseOverBudget(tx, taskId, credits);
    await updateComposite(tx, taskId, { phase: 'shots' });
    const reason = `Made again: ${again.map((part) => describePart(part, plan)).join('; ')}.`;
    await appendEvent(tx, taskId, { type: 'parts_retried', actor, reason, data: { credits } });
  });
}

/** Read outside the lock; undefined for what is no drama, which is refused under it. */
async function modelsNow(
  deps: Deps,
  own: { userId: string; taskId: string },
): Promise<DramaModels | undefined> {
  const before = await readOwnComposite(deps.db, own);
  const wanted = before && settingsOf(before.composite).models;
  return wanted && loadDramaModels(deps, wanted);
}

/** What failed and was asked for, and what was never begun because its picture had failed. */
function partsToRetry(steps: Awaited<ReturnType<typeof readSteps>>, { shotId, part }: Input): PartStep[] {
  const newest = newestParts(steps);
  const failed = [...newest.values()].filter(
    ({ name, ownerId, step }) =>
      step.status === 'failed' &&
      name !== 'character' &&
      (shotId === undefined || shotId === ownerId) &&
      (part === undefined || part === name),
  );
  if (failed.length === 0) {
    throw new AppError(
      'conflict',
      'This part has not failed, or its picture has to be made first. Reload the page.',
    );
  }
  const pictures = failed.filter(({ name }) => name === 'picture');
  const left = pictures.flatMap(({ ownerId }) =>
    (['clip', 'voice'] as const).flatMap((name) => newest.get(`shot:${ownerId}:${name}`) ?? []),
  );
  return [
    ...failed,
    ...left.filter(({ step }) => step.status === 'skipped' && step.input.takenOver !== true),
  ];
}

async function refuseOverBudget(tx: Tx, taskId: string, credits: number): Promise<void> {
  const free = (await readHold(tx, taskId))?.budgetFreeCredits ?? 0;
  if (credits <= free) return;
  throw new AppError(
    'insufficient_credits',
    `Making this again costs ${credits} credits; ${free} are left of the budget. Finish without, and redo these parts afterwards.`,
  );
}
