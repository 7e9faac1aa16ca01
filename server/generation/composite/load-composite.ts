import { isTerminal } from '../status.ts';
import type { Step } from '../step.ts';
import { readChildren, readComposite, readSteps } from './queries.ts';
import type { CompositeStep } from './step.ts';

/** Reads what the step of a leased composite decides by. @throws Error for a composite without its other half */
export async function loadComposite(step: Step): Promise<CompositeStep> {
  const { deps, lease } = step;
  const composite = await readComposite(deps.db, lease.taskId);
  if (!composite) throw new Error(`Task ${lease.taskId} is a composite without settings`);
  const steps = await readSteps(deps.db, lease.taskId);
  const ids = steps.flatMap(({ childTaskId }) => childTaskId ?? []);
  return { ...step, composite, steps, children: await readChildren(deps.db, ids, lease.taskId) };
}

/** Whether a child is under way, also one that no step names any more; those of an earlier revision have ended. */
export function hasLiveChildren({ children }: Pick<CompositeStep, 'children'>): boolean {
  return [...children.values()].some(({ task }) => !isTerminal(task.status));
}
