import { runCreditExpiryBatch } from '#server/billing/run-credit-expiry-batch.ts';
import type { Deps } from '#server/deps.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { expireOrders, nextOrderExpiry } from './order-queries.ts';

export type ExpiryBatchResult = {
  /** Orders. */
  expired: number;
  /** Users whose expired credits left their balance. */
  creditsExpired: number;
  nextDueAt: Date | null;
};

/**
 * Ends pending orders whose time is up and takes expired credits out of balances, at most `limit` of each. Readers say
 * the same before it has run; this makes it true in the books. A payment that comes later is credited all the same.
 */
export async function runExpiryBatch(
  deps: Pick<Deps, 'db' | 'logger' | 'clock'>,
  input: { limit: number; workerId: string | null },
): Promise<ExpiryBatchResult> {
  const expired = await deps.db.transaction(async (tx) => {
    const ids = await expireOrders(tx, input.limit);
    await crashPoint('order-expiry.before-commit');
    return ids.length;
  });
  await crashPoint('order-expiry.after-commit');
  const credits = await runCreditExpiryBatch(deps, input);
  return {
    expired,
    creditsExpired: credits.expired,
    nextDueAt: earlier(await nextOrderExpiry(deps.db), credits.nextDueAt),
  };
}

const earlier = (a: Date | null, b: Date | null): Date | null => (a && b ? (a < b ? a : b) : (a ?? b));
