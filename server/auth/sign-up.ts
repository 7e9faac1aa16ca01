import { grantCredits } from '#server/billing/ledger.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { SignedInUser } from '#server/trpc/context.ts';
import { hashPassword } from './password.ts';
import { insertUser } from './queries.ts';
import type { SignUpInput } from './schemas.ts';

/**
 * Makes an account with its credit account and starting credits, in one transaction. An address that is taken gets a
 * clear answer: without mail to send, hiding it would leave its owner without any; the limit per address keeps lists
 * from being tried.
 *
 * @throws AppError forbidden when sign-up is closed, conflict when the address is taken
 */
export async function signUp(deps: Pick<Deps, 'db' | 'config'>, input: SignUpInput): Promise<SignedInUser> {
  if (!deps.config.signUpOpen) {
    throw new AppError('forbidden', 'Sign-up is closed. Ask an administrator for an account.');
  }
  const passwordHash = await hashPassword(input.password);
  try {
    return await deps.db.transaction(async (tx) => {
      const user = await insertUser(tx, {
        email: input.email,
        displayName: input.displayName,
        passwordHash,
        role: 'user',
      });
      // Opens the credit account also when there is nothing to grant.
      await grantCredits(tx, {
        userId: user.id,
        credits: deps.config.signUpCredits,
        key: `sign-up:${user.id}`,
        actor: `user:${user.id}`,
        reason: 'Starting credits',
      });
      return { id: user.id, email: user.email, displayName: user.displayName, role: user.role };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'users_email_key')) {
      throw new AppError(
        'conflict',
        'There is an account with this e-mail address already. Sign in instead.',
        {
          field: 'email',
        },
      );
    }
    throw error;
  }
}
