import type { Tx } from '#server/db/client.ts';
import { type OrderChange, type OrderRow, updateOrder } from './order-queries.ts';
import { canMoveOrder, type OrderStatus } from './status.ts';

const ENDED: readonly OrderStatus[] = ['expired', 'cancelled', 'refunded'];

/**
 * Moves an order that the transaction has locked, or changes it where it is (`to` = its status).
 *
 * @throws Error when the transition table does not know the pair
 */
export async function moveOrder(
  tx: Tx,
  order: Pick<OrderRow, 'id' | 'status'>,
  change: { to: OrderStatus; set?: OrderChange; paidNow?: boolean },
): Promise<void> {
  const { to, set, paidNow } = change;
  if (to !== order.status && !canMoveOrder(order.status, to)) {
    throw new Error(`Order ${order.id} cannot move from ${order.status} to ${to}`);
  }
  const moved = await updateOrder(tx, {
    order,
    set: { ...set, status: to },
    ended: ENDED.includes(to),
    ...(paidNow ? { paidNow } : {}),
  });
  if (!moved) throw new Error(`Order ${order.id} is not ${order.status} any more`);
}
