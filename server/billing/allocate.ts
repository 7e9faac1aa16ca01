/** Which buckets a movement takes from or gives to. Pure: rows and the time come in as parameters. */

export type BucketKind = 'granted' | 'purchased' | 'promotional';

export type Bucket = {
  id: string;
  kind: BucketKind;
  remainingCredits: number;
  /** Null: never. */
  expiresAt: Date | null;
  orderId: string | null;
};

/** What an earlier entry took out of a bucket, in the order in which it took. */
export type Draw = {
  bucketId: string;
  kind: BucketKind;
  credits: number;
  expiresAt: Date | null;
  /** The sweep took its rest: it stays expired, whatever the clock says. */
  swept: boolean;
  /** The bucket is itself a restored one. */
  restored: boolean;
  orderId: string | null;
};

export type BucketMove = { bucketId: string; credits: number };

/** A bucket made anew for credits whose own bucket expired while they were held. */
export type RestoredBucket = {
  restoredFrom: string;
  kind: BucketKind;
  orderId: string | null;
  credits: number;
  expiresAt: Date;
};

const DAY_MS = 86_400_000;

/** The least life of credits that come back after their bucket expired, in milliseconds; once per bucket. */
const RESTORE_LEAST_MS = DAY_MS;
/** From the second time on: a task that fails again and again keeps no credits alive. */
const RESTORE_AGAIN_LEAST_MS = 1_000;

/** True when a bucket can be spent from at that moment. */
export const isLive = (bucket: { expiresAt: Date | null }, now: Date): boolean =>
  bucket.expiresAt === null || bucket.expiresAt > now;

/**
 * Takes credits from live buckets: those of `firstOrderId` first, then soonest expiry first (never-expiring ones last),
 * then the oldest.
 *
 * @returns the parts taken, or undefined when live buckets do not hold enough
 */
export function drawFrom(
  buckets: readonly Bucket[],
  input: { credits: number; now: Date; firstOrderId?: string },
): BucketMove[] | undefined {
  const rank = (bucket: Bucket) => (input.firstOrderId && bucket.orderId === input.firstOrderId ? 0 : 1);
  const expiry = (bucket: Bucket) => bucket.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const live = buckets
    .filter((bucket) => bucket.remainingCredits > 0 && isLive(bucket, input.now))
    .sort((a, b) => rank(a) - rank(b) || compare(expiry(a), expiry(b)) || compare(a.id, b.id));
  const moves: BucketMove[] = [];
  let left = input.credits;
  for (const bucket of live) {
    if (left === 0) break;
    const part = Math.min(left, bucket.remainingCredits);
    moves.push({ bucketId: bucket.id, credits: part });
    left -= part;
  }
  return left === 0 ? moves : undefined;
}

const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Gives held credits back to where they came from. A part of a hold counts as spent soonest expiry first, so what comes
 * back belongs to the draws made last. A draw whose bucket has expired meanwhile comes back in a new bucket that lives
 * as long as the old one still had when the credits were taken (holding stops its clock), and at least a day, the
 * first time.
 *
 * @throws RangeError when more comes back than was drawn
 */
export function giveBack(
  draws: readonly Draw[],
  input: { credits: number; now: Date; drawnAt: Date },
): { moves: BucketMove[]; restored: RestoredBucket[] } {
  const moves: BucketMove[] = [];
  const restored: RestoredBucket[] = [];
  let left = input.credits;
  for (const draw of [...draws].reverse()) {
    if (left === 0) break;
    const part = Math.min(left, draw.credits);
    left -= part;
    if (!draw.swept && isLive(draw, input.now)) {
      moves.push({ bucketId: draw.bucketId, credits: part });
      continue;
    }
    const lifeLeftMs = (draw.expiresAt?.getTime() ?? 0) - input.drawnAt.getTime();
    const lifeMs = Math.max(lifeLeftMs, draw.restored ? RESTORE_AGAIN_LEAST_MS : RESTORE_LEAST_MS);
    restored.push({
      restoredFrom: draw.bucketId,
      kind: draw.kind,
      orderId: draw.orderId,
      credits: part,
      expiresAt: new Date(input.now.getTime() + lifeMs),
    });
  }
  if (left > 0) throw new RangeError('More would come back than was drawn');
  return { moves, restored };
}
