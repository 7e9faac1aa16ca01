import type { Config } from '#server/deps.ts';
import { wakeTask } from '../lease-queries.ts';
import { type CompositeKind, isComposite } from '../status.ts';
import type { Step } from '../step.ts';
import { isRunnable, listAtWorkAfter } from './cap-queries.ts';
import type { CompositeStep } from './step.ts';

/** Composites of a kind that one user may have at work at once. */
export const capOf = ({ composites }: Pick<Config, 'composites'>, kind: CompositeKind): number =>
  kind === 'drama' ? composites.dramasPerUser : composites.agentsPerUser;

/**
 * Whether this composite is among those that may run: the oldest of its user's of this kind, up to the cap. One that waits
 * for a person takes no place.
 */
export function mayRun({ deps, claimed }: CompositeStep): Promise<boolean> {
  const { id, userId, kind } = claimed.task;
  if (!isComposite(kind)) throw new Error(`A ${kind} task has no cap of its own`);
  return isRunnable(deps.db, { taskId: id, userId, kind, cap: capOf(deps.config, kind) });
}

/**
 * A place has become free: those that may have waited for it look again. One row at a time, and outside of any
 * transaction, so that no two composites wait for each other's rows; a hint that is lost costs nothing but time.
 */
export async function wakeNextInLine({ deps, claimed }: Pick<Step, 'deps' | 'claimed'>): Promise<void> {
  const { id, userId, kind } = claimed.task;
  if (!isComposite(kind)) return;
  const next = await listAtWorkAfter(deps.db, { taskId: id, userId, kind, limit: capOf(deps.config, kind) });
  for (const taskId of next) await wakeTask(deps.db, taskId);
}
