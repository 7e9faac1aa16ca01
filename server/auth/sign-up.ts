import { grantCredits } from '#server/billing/ledger.ts';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { SignedInUser } from '#server/trpc/context.ts';
import { hashPassword } from './password.ts';
import { insertUser } from './queries.ts';
import type { SignUpInput } from './schemas.ts';
import { signedInUser } from './sessions.ts';

/** How a new account learns who invited it; given by the root router, because auth knows no invites. */
export type InviteBinding = {
  /** @throws AppError beside the field when nobody invites with this code */
  requireInviter(db: DbOrTx, input: { code: string; field: string }): Promise<{ userId: string }>;
  bindNewUser(tx: Tx, input: { inviterId: string; inviteeId: string }): Promise<void>;
};

/**
 * Makes an account with its credit account and starting credits, in one transaction. An address that is taken gets a
 * clear answer: without mail to send, hiding it would leave its owner without any; the limit per address keeps lists
 * from being tried. A wrong invite code is refused before anything is made.
 *
 * @throws AppError forbidden when sign-up is closed, not_found for a wrong invite code, conflict when the address is
 *   taken
 */
export async function signUp(
  deps: Pick<Deps, 'db' | 'config'>,
  invites: InviteBinding,
  input: SignUpInput,
): Promise<SignedInUser> {
  if (!deps.config.signUpOpen) {
    throw new AppError('forbidden', 'Sign-up is closed. Ask an administrator for an account.');
  }
  const inviter = input.inviteCode
    ? await invites.requireInviter(deps.db, { code: input.inviteCode, field: 'inviteCode' })
    : undefined;
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
      if (inviter) await invites.bindNewUser(tx, { inviterId: inviter.userId, inviteeId: user.id });
      return signedInUser(user);
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
