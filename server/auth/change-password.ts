import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { deleteSessionsExcept, findPasswordHash, replacePassword } from './queries.ts';
import type { ChangePasswordInput } from './schemas.ts';

type ChangePassword = ChangePasswordInput & {
  userId: string;
  /** The session that asks; it goes on. */
  currentId: string | undefined;
  limits: RateLimits | undefined;
};

/**
 * Replaces the password and ends every other session of the person, both or neither. API tokens go on.
 *
 * @throws AppError `bad_request` beside the field for a wrong or an unchanged password, `too_many_requests`, `conflict`
 *   when another change came first
 */
export async function changePassword(
  deps: Pick<Deps, 'db' | 'logger'>,
  input: ChangePassword,
): Promise<{ endedSessions: number }> {
  const { userId, currentId, limits } = input;
  const limitKey = `password ${userId}`;
  // A stolen session must not be a way to guess the password.
  await limits?.consume('sign-in-pair', limitKey);
  const before = await findPasswordHash(deps.db, userId);
  const right = await verifyPassword(before, input.password);
  if (!before || !right) throw new AppError('bad_request', 'The password is wrong.', { field: 'password' });
  if (await verifyPassword(before, input.newPassword)) {
    throw new AppError('bad_request', 'This is the password that you have. Choose another one.', {
      field: 'newPassword',
    });
  }

  const after = await hashPassword(input.newPassword);
  const endedSessions = await deps.db.transaction(async (tx) => {
    if ((await replacePassword(tx, { userId, before, after })) === 0) {
      throw new AppError('conflict', 'The account was changed a moment ago. Reload the page and try again.');
    }
    return deleteSessionsExcept(tx, userId, currentId);
  });
  await limits?.reset('sign-in-pair', limitKey);
  deps.logger.info({ userId, endedSessions }, 'A password was changed');
  return { endedSessions };
}
