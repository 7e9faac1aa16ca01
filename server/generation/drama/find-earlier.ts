import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { findRequestKey } from '../queries.ts';
import { canonicalHash } from '../request-hash.ts';
import type { Submitted } from '../request-key.ts';

/**
 * The task that the same request made before, also when it would be refused today.
 *
 * @throws AppError `conflict` when the key was used for another request
 */
export async function findEarlier(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; requestKey: string; body: unknown },
): Promise<Submitted | undefined> {
  const known = await findRequestKey(deps.db, input.userId, input.requestKey);
  if (!known) return undefined;
  if (known.bodyHash === canonicalHash(input.body)) return { taskId: known.taskId, created: false };
  throw new AppError(
    'conflict',
    'This request key was used for a different request. Use a new key for a new request.',
  );
}
