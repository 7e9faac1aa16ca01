import { lockAccount } from '#server/billing/queries.ts';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { readTypedCode } from '#server/lib/typed-codes.ts';
import {
  findInviteOf,
  findInviter,
  hasPaidOrder,
  type Inviter,
  insertInvite,
  isAncestor,
  lockBinding,
} from './queries.ts';

/** 40 bits: a code opens nothing, it only names who invites. */
export const INVITE_CODE_CHARACTERS = 8;

/**
 * Records who invited a person who has an account: once, and only before anything was bought. Codes are entered one
 * after the other, so that two at once can't close a circle; the account is locked, so that no order is paid between
 * the look and the commit.
 *
 * One person with two accounts cannot be told from two people: what keeps that from paying is that a reward takes a paid
 * order, a cooling-off time and a monthly limit.
 *
 * @throws AppError not_found for a wrong code, conflict for one's own, for a circle, when bound or when too late
 */
export async function bindInvite(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; code: string },
): Promise<{ inviterName: string }> {
  const { userId } = input;
  return deps.db.transaction(async (tx) => {
    const inviter = await requireInviter(tx, { code: input.code, field: 'code' });
    if (inviter.userId === userId)
      throw refused('This is your own code. Enter the code of whoever invited you.');
    await lockBinding(tx);
    await lockAccount(tx, userId);
    if (await findInviteOf(tx, userId)) throw alreadyBound();
    if (await hasPaidOrder(tx, userId)) throw refused('A code counts only before the first purchase.');
    if (await isAncestor(tx, { userId, from: inviter.userId })) {
      throw refused(
        'You invited the owner of this code, directly or through others. It cannot invite you back.',
      );
    }
    if (!(await insertInvite(tx, { inviterId: inviter.userId, inviteeId: userId }))) throw alreadyBound();
    return { inviterName: inviter.displayName };
  });
}

/**
 * Records who invited an account that the same transaction makes. It has invited nobody and bought nothing, so there
 * is nothing to lock and nothing that could refuse it.
 */
export async function bindNewUser(tx: Tx, input: { inviterId: string; inviteeId: string }): Promise<void> {
  await insertInvite(tx, input);
}

/**
 * Whose code this is.
 *
 * @throws AppError not_found beside the field, also when its owner may not sign in any more
 */
export async function requireInviter(db: DbOrTx, input: { code: string; field: string }): Promise<Inviter> {
  const code = readTypedCode(input.code, INVITE_CODE_CHARACTERS);
  const inviter = code === undefined ? undefined : await findInviter(db, code);
  if (inviter) return inviter;
  throw new AppError('not_found', 'Nobody invites with this code. Check it, or go on without one.', {
    field: input.field,
  });
}

const alreadyBound = () => refused('You were invited already, and that cannot be changed.');
const refused = (message: string) => new AppError('conflict', message, { field: 'code' });
