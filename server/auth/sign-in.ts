import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import type { SignedInUser } from '#server/trpc/context.ts';
import { verifyPassword } from './password.ts';
import { findUserByEmail } from './queries.ts';
import type { SignInInput } from './schemas.ts';
import { signedInUser } from './sessions.ts';

/**
 * Checks e-mail and password. Unknown user, wrong password and disabled account get one answer in one time. Limits
 * are taken before the check, so parallel guesses can't slip past them.
 *
 * @throws AppError unauthorized, too_many_requests, or unavailable when the limits can't be counted
 */
export async function signIn(
  deps: Pick<Deps, 'db'>,
  input: SignInInput & { clientAddress: string; limits: RateLimits | undefined },
): Promise<SignedInUser> {
  const pair = `${input.clientAddress} ${input.email}`;
  await input.limits?.consume('sign-in-address', input.clientAddress);
  await input.limits?.consume('sign-in-pair', pair);

  const user = await findUserByEmail(deps.db, input.email);
  const right = await verifyPassword(user?.passwordHash, input.password);
  if (!user || !right || user.disabledAt) throw new AppError('unauthorized', 'E-mail or password is wrong.');

  await input.limits?.reset('sign-in-pair', pair);
  return signedInUser(user);
}
