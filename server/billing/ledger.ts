import type { Tx } from '#server/db/client.ts';
import { AppError } from '#server/lib/app-error.ts';
import { newId } from '#server/lib/ids.ts';
import { isCredits } from '#server/lib/money.ts';
import {
  insertAccount,
  insertLedgerEntry,
  type LedgerKind,
  ledgerHasKey,
  lockAccount,
  moveBalance,
} from './queries.ts';

export type LedgerEntry = {
  userId: string;
  kind: LedgerKind;
  /** Positive gives, negative takes; integer credits. */
  deltaCredits: number;
  /** Names the movement; a second entry with the same key moves nothing. */
  key: string;
  taskId?: string;
  actor: string;
  reason: string;
};

/**
 * Moves a balance and writes the ledger row of it, in the caller's transaction. Happens once per key: the account row
 * is locked first, so two callers with one key cannot both pass. A movement of 0 writes nothing.
 *
 * @returns whether something moved
 * @throws AppError `insufficient_credits` when the balance would fall below 0; nothing is written then
 */
export async function postEntry(tx: Tx, entry: LedgerEntry): Promise<boolean> {
  if (!isCredits(Math.abs(entry.deltaCredits)))
    throw new RangeError(`Not a credit amount: ${entry.deltaCredits}`);
  if (entry.deltaCredits === 0) return false;
  const account = await lockAccount(tx, entry.userId);
  if (!account) throw new Error(`User ${entry.userId} has no credit account`);
  if (await ledgerHasKey(tx, entry.key)) return false;
  const balanceAfterCredits = await moveBalance(tx, entry.userId, entry.deltaCredits);
  if (balanceAfterCredits === undefined) {
    throw new AppError(
      'insufficient_credits',
      `This costs ${-entry.deltaCredits} credits and you have ${account.balanceCredits}. Choose a cheaper setting or add credits.`,
    );
  }
  await insertLedgerEntry(tx, { ...entry, id: newId(), taskId: entry.taskId ?? null, balanceAfterCredits });
  return true;
}

/** Opens the account of a user if there is none and grants credits to it, once per key. */
export async function grantCredits(
  tx: Tx,
  grant: { userId: string; credits: number; key: string; actor: string; reason: string },
): Promise<void> {
  await insertAccount(tx, grant.userId);
  await postEntry(tx, { ...grant, kind: 'grant', deltaCredits: grant.credits });
}
