import { updateComposite, updateStep } from '../composite/queries.ts';
import { underLease } from '../composite/start-child.ts';
import type { CompositeAction, CompositeStep } from '../composite/step.ts';
import { wasTimeUp } from '../composite/time-queries.ts';
import { advanceReview } from './advance-review.ts';
import { advanceShots } from './advance-shots.ts';
import { advanceStoryboard } from './advance-storyboard.ts';
import { endOfPart, usableShots } from './composite-state.ts';
import { newestParts } from './parts.ts';
import type { DramaPhase } from './schemas.ts';

/** One step of a drama: what is next is read from its phase, its steps and their children, never from memory. */
export async function advanceDrama(step: CompositeStep): Promise<CompositeAction> {
  switch (step.composite.phase as DramaPhase) {
    case 'storyboard':
      return advanceStoryboard(step);
    case 'review':
      return advanceReview(step);
    case 'shots':
      return advanceShots(step);
    case 'failed_parts':
      return { type: 'wait', for: 'user' };
    case 'composing':
    case 'done':
      return composeWhatIsThere(step);
  }
}

/** Stopped, or nobody decided in time: a film of the shots that are there; before the shots, no film. The page says which. */
export async function finishDrama(step: CompositeStep): Promise<CompositeAction> {
  const phase = step.composite.phase as DramaPhase;
  if (phase === 'storyboard' || phase === 'review') {
    const first = (await isTimeUp(step))
      ? 'The shots were not started in time.'
      : 'Stopped before the shots were started.';
    const reason = `${first} No shot was made, and none was charged.`;
    return { type: 'end', to: 'cancelled', reason };
  }
  if (phase === 'composing' || phase === 'done') return composeWhatIsThere(step);
  const unmade = (await isTimeUp(step))
    ? 'Its time was up before it was made.'
    : 'Stopped before it was made.';
  await underLease(step, async (tx) => {
    const { taskId } = step.lease;
    for (const part of newestParts(step.steps).values()) {
      const { key, status } = part.step;
      if (status === 'planned') {
        const result = { problem: unmade };
        await updateStep(tx, { taskId, key, from: ['planned'], to: 'skipped', result });
      }
      const end = status === 'running' ? endOfPart(part, step.children) : null;
      if (!end) continue;
      const to = end.delivered ? 'done' : 'failed';
      const result = end.delivered ? undefined : { problem: end.problem };
      await updateStep(tx, { taskId, key, from: ['running'], to, result });
    }
    await updateComposite(tx, taskId, { phase: 'composing' });
  });
  return { type: 'again' };
}

const isTimeUp = ({ deps, lease }: CompositeStep): Promise<boolean> => wasTimeUp(deps.db, lease.taskId);

async function composeWhatIsThere(step: CompositeStep): Promise<CompositeAction> {
  if (usableShots(step).length > 0) return { type: 'compose' };
  const hasFailed = [...newestParts(step.steps).values()].some(({ step: made }) => made.status === 'failed');
  if (step.composite.stopRequestedAt && !hasFailed) {
    const first = (await isTimeUp(step)) ? 'Its time was up' : 'Stopped';
    return { type: 'end', to: 'cancelled', reason: `${first} before a shot was finished.` };
  }
  return { type: 'end', to: 'failed', code: 'step_failed', detail: 'No shot could be finished.' };
}
