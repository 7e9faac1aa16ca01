import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import type { Deps } from '#server/deps.ts';
import { runPaymentRefundBatch } from '#server/orders/run-payment-refund-batch.ts';
import type { RunRefundsOutput } from './schemas.ts';

/**
 * One turn over what is to be given back: credits of failed tasks first, then money of orders. Neither waits for the
 * other's failure: the first error is thrown after both have had their turn.
 */
export async function runRefundKnock(
  deps: Deps,
  input: { limit: number; workerId: string | null },
): Promise<RunRefundsOutput> {
  const [credits] = await Promise.allSettled([runRefundBatch(deps, input)]);
  const money = await runPaymentRefundBatch(deps, input);
  if (credits.status === 'rejected') throw credits.reason;
  return {
    claimed: credits.value.claimed + money.claimed,
    settled: credits.value.settled + money.settled,
    retried: credits.value.retried + money.retried,
    manual: credits.value.manual + money.manual,
    nextDueAt: earlier(credits.value.nextDueAt, money.nextDueAt),
  };
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
