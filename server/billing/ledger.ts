import type { Tx } from '#server/db/client.ts';
import { isCredits } from '#server/lib/money.ts';
import { type Bucket, drawFrom, isLive } from './allocate.ts';
import {
  closeExpiredBucket,
  debtHasKey,
  insertDebt,
  listFilledBuckets,
  listOpenDebts,
  payDebt,
  readClock,
} from './bucket-queries.ts';
import { listAssignedBuckets, readHold, sumOf } from './old-entries.ts';
import { insertAccount, ledgerHasKey, lockAccount } from './queries.ts';
import {
  fillNewBucket,
  InsufficientCreditsError,
  type LedgerEntry,
  returnToDraws,
  writeEntry,
  writeTaking,
} from './write-entry.ts';

const DAY_MS = 86_400_000;

/**
 * Moves a balance and its buckets and writes the ledger row of it, in the caller's transaction. Happens once per key:
 * the account row is locked first, so two callers with one key cannot both pass, and a user's movements follow one
 * another. Whatever has expired leaves the balance first; what comes in pays debts first. A movement of 0 writes
 * nothing. Callers that move two accounts do so in the order of their user ids.
 *
 * @returns whether something moved
 * @throws AppError `insufficient_credits` when less can be spent than is taken; nothing is written then
 */
export async function postEntry(tx: Tx, entry: LedgerEntry): Promise<boolean> {
  if (!isCredits(Math.abs(entry.deltaCredits)))
    throw new RangeError(`Not a credit amount: ${entry.deltaCredits}`);
  if (entry.deltaCredits === 0) return false;
  const account = await openLockedAccount(tx, entry.userId);
  if (await ledgerHasKey(tx, entry.key)) return false;
  if (entry.deltaCredits < 0) {
    const credits = -entry.deltaCredits;
    const moves = drawFrom(account.buckets, { credits, now: account.now, firstOrderId: entry.orderId });
    if (!moves) throw new InsufficientCreditsError(credits, sumOf(account.buckets));
    await writeTaking(tx, entry, moves);
  } else {
    await writeGiving(tx, entry, account);
    await payDebts(tx, entry);
  }
  return true;
}

/** Opens the account of a user if there is none and grants credits to it, once per key. */
export async function grantCredits(
  tx: Tx,
  grant: Omit<LedgerEntry, 'kind' | 'deltaCredits' | 'backToHold'> & { credits: number },
): Promise<void> {
  const { credits, ...entry } = grant;
  await insertAccount(tx, grant.userId);
  await postEntry(tx, { ...entry, kind: 'grant', deltaCredits: credits });
}

/**
 * Takes back what a user may have spent already: as much as can be taken, those of the order first; the rest becomes a
 * debt. Once per key.
 *
 * @returns what was taken and what is owed; both 0 when this key was handled before
 */
export async function clawBack(
  tx: Tx,
  input: { userId: string; credits: number; key: string; orderId?: string; actor: string; reason: string },
): Promise<{ taken: number; owed: number }> {
  const nothing = { taken: 0, owed: 0 };
  if (!isCredits(input.credits)) throw new RangeError(`Not a credit amount: ${input.credits}`);
  if (input.credits === 0) return nothing;
  const account = await openLockedAccount(tx, input.userId);
  if ((await ledgerHasKey(tx, input.key)) || (await debtHasKey(tx, input.key))) return nothing;
  const { credits, ...rest } = input;
  const taken = Math.min(credits, sumOf(account.buckets));
  const owed = credits - taken;
  if (taken > 0) {
    const moves = drawFrom(account.buckets, {
      credits: taken,
      now: account.now,
      firstOrderId: input.orderId,
    });
    if (!moves) throw new Error('Live buckets hold less than their sum');
    await writeTaking(tx, { ...rest, kind: 'clawback', deltaCredits: -taken }, moves);
  }
  if (owed > 0) {
    const { userId, key, orderId, reason } = input;
    await insertDebt(tx, { userId, key, orderId, reason, amountCredits: owed, remainingCredits: owed });
  }
  return { taken, owed };
}

/** Takes expired credits of a user out of the balance; what every movement of that user does first. */
export async function expireCredits(tx: Tx, userId: string): Promise<void> {
  await openLockedAccount(tx, userId);
}

type LockedAccount = { now: Date; buckets: Bucket[] };

/** Locks the account and brings its buckets up to now: assigns entries of an older release, drops what expired. */
async function openLockedAccount(tx: Tx, userId: string): Promise<LockedAccount> {
  const account = await lockAccount(tx, userId);
  if (!account) throw new Error(`User ${userId} has no credit account`);
  // After the lock, and so not before the clock of whoever held it.
  const now = await readClock(tx);
  const buckets: Bucket[] = [];
  for (const bucket of await listAssignedBuckets(tx, {
    userId,
    balanceCredits: account.balanceCredits,
    now,
  })) {
    if (isLive(bucket, now)) buckets.push(bucket);
    else await expireBucket(tx, userId, bucket);
  }
  return { now, buckets };
}

async function expireBucket(tx: Tx, userId: string, bucket: Bucket): Promise<void> {
  const credits = bucket.remainingCredits;
  await writeTaking(
    tx,
    {
      userId,
      kind: 'expire',
      deltaCredits: -credits,
      key: `expire:bucket:${bucket.id}`,
      ...(bucket.orderId ? { orderId: bucket.orderId } : {}),
      actor: 'policy',
      reason: 'Expired',
    },
    [{ bucketId: bucket.id, credits }],
  );
  await closeExpiredBucket(tx, bucket.id);
}

async function writeGiving(tx: Tx, entry: LedgerEntry, account: LockedAccount): Promise<void> {
  const { userId, deltaCredits: credits, backToHold } = entry;
  const drawn = backToHold === undefined ? undefined : await readHold(tx, userId, backToHold, account.now);
  const entryId = await writeEntry(tx, entry);
  if (!drawn) {
    const { kind, validDays } = entry.bucket ?? { kind: 'granted' };
    const expiresAt = validDays ? new Date(account.now.getTime() + validDays * DAY_MS) : null;
    await fillNewBucket(tx, { entryId, userId, kind, credits, expiresAt, orderId: entry.orderId ?? null });
    return;
  }
  await returnToDraws(tx, { entryId, userId, credits, now: account.now, ...drawn });
}

/**
 * Pays debts, oldest first, out of all that can be spent: what has just come in, and what an older release, which knew
 * no debts, let in before.
 */
async function payDebts(tx: Tx, income: LedgerEntry): Promise<void> {
  for (const debt of await listOpenDebts(tx, income.userId)) {
    const now = await readClock(tx);
    const buckets = await listFilledBuckets(tx, income.userId);
    const spendable = sumOf(buckets.filter((bucket) => isLive(bucket, now)));
    const credits = Math.min(spendable, debt.remainingCredits);
    const moves = credits > 0 ? drawFrom(buckets, { credits, now }) : undefined;
    if (!moves) return;
    await writeTaking(
      tx,
      {
        userId: income.userId,
        kind: 'debt_payment',
        deltaCredits: -credits,
        key: `debt:${debt.id}:${income.key}`,
        ...(debt.orderId ? { orderId: debt.orderId } : {}),
        actor: 'policy',
        reason: `Paid off: ${debt.reason}`,
      },
      moves,
    );
    await payDebt(tx, { debtId: debt.id, credits });
  }
}
