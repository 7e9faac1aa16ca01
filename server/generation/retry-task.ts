import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { readTasks } from './queries.ts';
import type { Submitted } from './request-key.ts';
import { isComposite, isTerminal, leafKind } from './status.ts';
import { submitTask } from './submit-task.ts';

/**
 * Submits a finished task's order once more: a new task, linked to the old one, with today's price and a new hold.
 * Never silent: only a person or a service asks for it.
 *
 * @throws AppError `not_found`, `conflict` while the task is not finished, and what a submit throws
 */
export async function retryTask(
  deps: Deps,
  input: { userId: string; taskId: string; requestKey: string },
): Promise<Submitted> {
  const [bundle] = await readTasks(deps.db, input.userId, [input.taskId]);
  if (!bundle) throw new AppError('not_found', 'There is no such task.');
  if (!isTerminal(bundle.task.status)) {
    throw new AppError('conflict', 'This task is not finished. Retry is for tasks that have ended.');
  }
  if (isComposite(bundle.task.kind) || bundle.task.parentId !== null) {
    throw new AppError('conflict', 'This is made of steps. Open it and redo the part that you want anew.');
  }
  return submitTask(deps, {
    userId: input.userId,
    requestKey: input.requestKey,
    kind: leafKind(bundle.task.kind),
    model: bundle.details.snapshot.modelSlug,
    prompt: bundle.details.prompt,
    params: bundle.details.params,
    references: bundle.details.referenceIds,
    retryOf: input.taskId,
  });
}
