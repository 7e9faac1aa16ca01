import type { Step, StepResult } from '../step.ts';
import { cancelChildren } from './cancel-children.ts';
import { listLiveChildren, readComposite } from './queries.ts';
import { endComposite } from './settle-composite.ts';

/**
 * A composite whose step only throws must end all the same, once its time has passed or its user has stopped it: its
 * children are asked to end, and then it fails, with what was delivered charged and the rest returned. Reads nothing that
 * its kind has written.
 *
 * @returns null while its time has not passed, or while a child is under way: it is put off then
 */
export async function endOverripeComposite(step: Step): Promise<StepResult | null> {
  const { task } = step.claimed;
  const now = step.deps.clock.now();
  if (task.status === 'archiving') {
    if (task.archiveUntil === null || task.archiveUntil > now) return null;
    return endComposite(step, 'archiving', { type: 'end', to: 'failed', code: 'composition_failed' });
  }
  const isTimeUp = task.waitingUntil !== null && task.waitingUntil <= now;
  if (!isTimeUp && !(await readComposite(step.deps.db, task.id))?.stopRequestedAt) return null;
  await cancelChildren(step);
  if ((await listLiveChildren(step.deps.db, task.id)).length > 0) return null;
  return endComposite(step, 'waiting', { type: 'end', to: 'failed', code: 'step_failed' });
}
