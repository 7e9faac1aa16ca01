import { appendEvent } from '../event-queries.ts';
import type { Step } from '../step.ts';
import { restartWait, setStopped } from './queries.ts';
import { underLease } from './start-child.ts';
import { CHILDREN_WAIT_MS } from './submit-composite.ts';
import { TIME_UP } from './time-queries.ts';

/**
 * Nobody has answered, or the work took too long: it ends with what is there. Recorded before it is acted on, so that no
 * later step takes the composite for one that goes on.
 *
 * @throws CompositeLost
 */
export async function stopForTime(step: Pick<Step, 'deps' | 'lease'>): Promise<void> {
  const { taskId } = step.lease;
  await underLease(step, async (tx) => {
    if (!(await setStopped(tx, taskId))) return;
    // What is under way gets its own time to end.
    await restartWait(tx, taskId, CHILDREN_WAIT_MS);
    await appendEvent(tx, taskId, { type: TIME_UP, actor: 'executor' });
  });
}
