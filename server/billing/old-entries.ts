import type { Tx } from '#server/db/client.ts';
import { type Bucket, drawFrom } from './allocate.ts';
import {
  listFilledBuckets,
  listUnassignedEntries,
  moveBuckets,
  type OldEntry,
  readDraws,
} from './bucket-queries.ts';
import { fillNewBucket, returnToDraws } from './write-entry.ts';

export const sumOf = (buckets: readonly Bucket[]): number =>
  buckets.reduce((sum, bucket) => sum + bucket.remainingCredits, 0);

/**
 * Filled buckets, which add up to the balance. The entries behind them are looked at only where the sums differ: an
 * account may have a long history from before there were buckets.
 */
export async function listAssignedBuckets(
  tx: Tx,
  input: { userId: string; balanceCredits: number; now: Date },
): Promise<Bucket[]> {
  const buckets = await listFilledBuckets(tx, input.userId);
  if (sumOf(buckets) === input.balanceCredits) return buckets;
  await assignOldEntries(tx, input.userId, input.now);
  return listFilledBuckets(tx, input.userId);
}

/** What a hold drew. A hold of an older release may not be assigned yet, though the sums agree without it. */
export async function readHold(tx: Tx, userId: string, key: string, now: Date) {
  const drawn = await readDraws(tx, { key });
  if (drawn) return drawn;
  await assignOldEntries(tx, userId, now);
  return readDraws(tx, { key });
}

/**
 * Entries written by a release that knew no buckets, while both ran side by side: what came back from a hold goes where
 * the hold took it, what came in otherwise makes a bucket without expiry, what was taken is taken from the buckets as
 * if it were taken now.
 */
async function assignOldEntries(tx: Tx, userId: string, now: Date): Promise<void> {
  const entries = await listUnassignedEntries(tx, userId);
  // In the order of the clock a taking may come before what it took: then it waits for the end.
  const later: OldEntry[] = [];
  for (const entry of entries) {
    if (entry.deltaCredits > 0) await assignGiving(tx, userId, entry, now);
    else if (!(await assignTaking(tx, userId, entry, now))) later.push(entry);
  }
  for (const entry of later) {
    if (!(await assignTaking(tx, userId, entry, now))) {
      throw new Error(`Ledger entry ${entry.id} took more than the buckets of its user hold`);
    }
  }
}

async function assignGiving(tx: Tx, userId: string, entry: OldEntry, now: Date): Promise<void> {
  const { id: entryId, deltaCredits: credits, taskId } = entry;
  const back = taskId && (entry.kind === 'return' || entry.kind === 'refund');
  const drawn = back ? await readDraws(tx, { taskId }) : undefined;
  if (drawn) await returnToDraws(tx, { entryId, userId, credits, now, ...drawn });
  else await fillNewBucket(tx, { entryId, userId, kind: 'granted', credits });
}

/** It looked at the balance only, so it may have spent what had expired: then nothing counts as expired here. */
async function assignTaking(tx: Tx, userId: string, entry: OldEntry, now: Date): Promise<boolean> {
  const buckets = await listFilledBuckets(tx, userId);
  const credits = -entry.deltaCredits;
  const unexpiring = buckets.map((bucket) => ({ ...bucket, expiresAt: null }));
  const moves = drawFrom(buckets, { credits, now }) ?? drawFrom(unexpiring, { credits, now });
  if (moves) await moveBuckets(tx, { entryId: entry.id, moves, sign: -1 });
  return moves !== undefined;
}
