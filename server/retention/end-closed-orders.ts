import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { cancelOrder } from '#server/orders/cancel-order.ts';
import { moveOrder } from '#server/orders/move-order.ts';
import { lockOrder, type ReadOrder } from '#server/orders/order-queries.ts';
import { pendingOrders } from './closing-queries.ts';

/** Unpaid orders of one user at most; whoever has more leaves the rest to the retention lane. */
const MOST_ORDERS = 1_000;

/** Cancels the orders that a user could still pay, within the transaction that closes the account. */
export async function cancelOrdersOf(tx: Tx, userId: string): Promise<ReadOrder[]> {
  const cancelled: ReadOrder[] = [];
  for (const { id } of await pendingOrders(tx, { userIds: [userId], limit: MOST_ORDERS })) {
    const order = await lockOrder(tx, id);
    if (order?.status !== 'pending' || order.overdue) continue;
    await moveOrder(tx, order, { to: 'cancelled', set: { cancelledBy: 'user' } });
    cancelled.push(order);
  }
  return cancelled;
}

/** The same for closed accounts, for orders of requests that were under way when the account was closed. */
export async function endClosedOrders(
  deps: Deps,
  input: { userIds: readonly string[]; limit: number },
): Promise<{ done: number; faults: number }> {
  let done = 0;
  let faults = 0;
  for (const { id, userId } of await pendingOrders(deps.db, input)) {
    try {
      await cancelOrder(deps, { orderId: id, userId });
      done += 1;
    } catch (error) {
      // Paid or expired a moment ago: it has its end.
      if (error instanceof AppError && error.code === 'conflict') continue;
      faults += 1;
      deps.logger.warn(
        { orderId: id, error: describeError(error) },
        'An order of a closed account stays open',
      );
    }
  }
  return { done, faults };
}
