import { applyDispatch } from './apply-dispatch.ts';
import { archiveTask } from './archive-task.ts';
import { advanceComposite } from './composite/advance-composite.ts';
import { advanceComposition } from './composite/advance-composition.ts';
import { dispatchTask } from './dispatch-task.ts';
import { pollTask } from './poll-task.ts';
import { isComposite } from './status.ts';
import type { Step, StepResult } from './step.ts';
import { uncertainTask } from './uncertain-task.ts';

/** Takes a leased task one step further. Whoever calls it, page, kick or daemon, this is the only way on. */
export async function advanceTask(step: Step): Promise<StepResult> {
  const { task, dispatch } = step.claimed;
  switch (task.status) {
    case 'queued':
      return dispatchTask(step);
    case 'dispatching':
      if (!dispatch) throw new Error('A dispatching task has no dispatch');
      return applyDispatch(step, dispatch);
    case 'running':
      return pollTask(step);
    case 'uncertain':
      return uncertainTask(step);
    case 'archiving':
      return isComposite(task.kind) ? advanceComposition(step) : archiveTask(step);
    case 'waiting':
      return advanceComposite(step);
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      throw new Error('A finished task was claimed');
  }
}
