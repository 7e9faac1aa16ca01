import type { Tx } from '#server/db/client.ts';
import { AppError } from '#server/lib/app-error.ts';
import { newId } from '#server/lib/ids.ts';
import { type BucketKind, type BucketMove, type Draw, giveBack } from './allocate.ts';
import { insertBucket, insertMoves, moveBuckets } from './bucket-queries.ts';
import { insertLedgerEntry, type LedgerKind, moveBalance } from './queries.ts';

/** One entry with its balance and its buckets. For `ledger.ts`, which holds the account's lock; nobody else writes. */

export type LedgerEntry = {
  userId: string;
  kind: LedgerKind;
  /** Positive gives, negative takes; integer credits. */
  deltaCredits: number;
  /** Names the movement; a second entry with the same key moves nothing. */
  key: string;
  taskId?: string;
  orderId?: string;
  actor: string;
  reason: string;
  /** Of credits that come in: which bucket they make. Preset: granted, without expiry. */
  bucket?: { kind: BucketKind; validDays?: number | null };
  /** Of credits that come back: the ledger key of the hold that took them. */
  backToHold?: string;
};

/** Less can be spent than is to be taken. */
export class InsufficientCreditsError extends AppError {
  constructor(
    costs: number,
    readonly spendable: number,
  ) {
    super(
      'insufficient_credits',
      `This costs ${costs} credits and you have ${spendable}. Choose a cheaper setting or add credits.`,
    );
  }
}

/** An entry that takes credits, from the buckets that are named. */
export async function writeTaking(tx: Tx, entry: LedgerEntry, moves: readonly BucketMove[]): Promise<void> {
  const entryId = await writeEntry(tx, entry);
  await moveBuckets(tx, { entryId, moves, sign: -1 });
}

/** A bucket that begins with what one entry brought. */
export async function fillNewBucket(
  tx: Tx,
  input: {
    entryId: string;
    userId: string;
    kind: BucketKind;
    credits: number;
    expiresAt?: Date | null;
    orderId?: string | null;
    restoredFrom?: string;
  },
): Promise<void> {
  const { entryId, credits, ...bucket } = input;
  const bucketId = newId();
  await insertBucket(tx, { ...bucket, id: bucketId, remainingCredits: credits });
  await insertMoves(tx, { entryId, moves: [{ bucketId, credits }], sign: 1 });
}

/** Lets an entry bring credits back to where a hold took them. */
export async function returnToDraws(
  tx: Tx,
  input: { entryId: string; userId: string; credits: number; now: Date; drawnAt: Date; draws: Draw[] },
): Promise<void> {
  const { entryId, userId } = input;
  const { moves, restored } = giveBack(input.draws, input);
  await moveBuckets(tx, { entryId, moves, sign: 1 });
  for (const bucket of restored) await fillNewBucket(tx, { entryId, userId, ...bucket });
}

/** Balance and ledger row together. @returns the row's id */
export async function writeEntry(tx: Tx, entry: LedgerEntry): Promise<string> {
  const balanceAfterCredits = await moveBalance(tx, entry.userId, entry.deltaCredits);
  if (balanceAfterCredits === undefined) throw new InsufficientCreditsError(-entry.deltaCredits, 0);
  const { bucket: _, backToHold: __, ...columns } = entry;
  const id = newId();
  await insertLedgerEntry(tx, { ...columns, id, balanceAfterCredits, bucketed: true });
  return id;
}
