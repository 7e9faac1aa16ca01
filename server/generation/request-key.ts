import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { findRequestKey } from './queries.ts';

/** A submit: the task of its request key, and whether this call made it. */
export type Submitted = { taskId: string; created: boolean };

type KeyUse = { userId: string; requestKey: string; bodyHash: string };

/** The task of a request key that was used before. @throws AppError `conflict` when it was used for another request */
export async function findTaskByKey(deps: Pick<Deps, 'db'>, use: KeyUse): Promise<string | undefined> {
  const known = await findRequestKey(deps.db, use.userId, use.requestKey);
  if (!known) return undefined;
  if (known.bodyHash !== use.bodyHash) {
    throw new AppError(
      'conflict',
      'This request key was used for a different request. Use a new key for a new request.',
    );
  }
  return known.taskId;
}

/**
 * The answer after a submit's transaction. One that made nothing met its own request key, so another call made the task.
 *
 * @throws AppError `conflict`, or `unavailable` while that other call has not ended
 */
export async function answerSubmit(
  deps: Pick<Deps, 'db' | 'due'>,
  { taskId, created }: Submitted,
  use: KeyUse,
): Promise<Submitted> {
  if (created) {
    deps.due.wake();
    return { taskId, created };
  }
  const winner = await findTaskByKey(deps, use);
  if (!winner) throw new AppError('unavailable', 'The same request is being handled right now. Try again.');
  return { taskId: winner, created: false };
}

/** Refuses an order whose reference file was removed between choosing and submitting. */
export const referenceGone = () =>
  new AppError('bad_request', 'A reference file is not there any more. Upload it again.', {
    field: 'references',
  });
