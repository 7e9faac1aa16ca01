import { grantCredits } from '#server/billing/ledger.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { newId } from '#server/lib/ids.ts';
import { hashPassword } from './password.ts';
import { deleteSessionsExcept, findUserByEmail, insertUser, promoteUser } from './queries.ts';

type CreateAdminInput = {
  email: string;
  displayName: string;
  /** For someone who has an account already, undefined keeps their password. */
  password: string | undefined;
  /** Integer credits to grant on top of what is there; each call grants anew. */
  credits?: number;
};

/**
 * Makes an administrator, or makes an existing person one. A new password of an existing person ends their sessions.
 * Safe to repeat.
 */
export async function createAdmin(
  deps: Pick<Deps, 'db'>,
  input: CreateAdminInput,
): Promise<{ userId: string; created: boolean }> {
  const passwordHash = input.password === undefined ? undefined : await hashPassword(input.password);
  return deps.db.transaction(async (tx) => {
    const known = await findUserByEmail(tx, input.email);
    if (known) {
      await promoteUser(tx, known.id, passwordHash);
      if (passwordHash) await deleteSessionsExcept(tx, known.id, undefined);
      await openAccount(tx, known.id);
      await grant(tx, known.id, input.credits);
      return { userId: known.id, created: false };
    }
    if (!passwordHash) throw new Error('A new administrator needs a password');
    const user = await insertUser(tx, {
      email: input.email,
      displayName: input.displayName,
      passwordHash,
      role: 'admin',
    });
    await openAccount(tx, user.id);
    await grant(tx, user.id, input.credits);
    return { userId: user.id, created: true };
  });
}

/** A grant of nothing: opens the credit account and writes no ledger entry. */
const openAccount = (tx: Tx, userId: string) =>
  grantCredits(tx, { userId, credits: 0, key: `sign-up:${userId}`, actor: 'cli', reason: 'Account opened' });

async function grant(tx: Tx, userId: string, credits = 0): Promise<void> {
  const reason = 'Granted on the command line';
  await grantCredits(tx, { userId, credits, key: `cli:${newId()}`, actor: 'cli', reason });
}
