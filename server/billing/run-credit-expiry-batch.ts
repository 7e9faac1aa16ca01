import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { listUsersWithExpired, nextBucketExpiry } from './bucket-queries.ts';
import { expireCredits } from './ledger.ts';

export type CreditExpiryResult = {
  /** Users whose expired credits were taken out of the balance. */
  expired: number;
  nextDueAt: Date | null;
};

/**
 * Takes expired credits out of balances, one transaction per user, each bucket once. They could not be spent before it
 * either. A user who fails stops no other and is tried again by the next batch.
 */
export async function runCreditExpiryBatch(
  deps: Pick<Deps, 'db' | 'logger' | 'clock'>,
  input: { limit: number },
): Promise<CreditExpiryResult> {
  let expired = 0;
  const users = await listUsersWithExpired(deps.db, input.limit);
  for (const userId of users) {
    try {
      await deps.db.transaction(async (tx) => {
        await expireCredits(tx, userId);
        await crashPoint('credit-expiry.before-commit');
      });
      await crashPoint('credit-expiry.after-commit');
      expired += 1;
    } catch (error) {
      deps.logger.error(
        { userId, error: describeError(error) },
        'Expired credits could not be taken out of a balance',
      );
    }
  }
  // A full batch may have left some; a user who fails waits for the lane's own pace and never makes it spin.
  const more = expired > 0 && users.length === input.limit;
  return { expired, nextDueAt: more ? deps.clock.now() : await nextBucketExpiry(deps.db) };
}
