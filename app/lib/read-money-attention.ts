import type { AppLoadContext } from '@remix-run/node';

/** The server gives no more of either in one answer. */
const MOST = 100;

/** What of orders waits for a person: payments that fit none, and money whose way back is stuck. */
export async function readMoneyAttention({ trpc }: Pick<AppLoadContext, 'trpc'>) {
  const [mismatches, manual] = await Promise.all([
    trpc.adminOrders.mismatches(),
    trpc.adminOrders.refunds({ status: 'manual', limit: MOST }),
  ]);
  return {
    mismatches,
    moneyRefunds: manual.items,
    hasMore: mismatches.length >= MOST || manual.nextCursor !== null,
  };
}
