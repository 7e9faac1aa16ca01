import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { findOrder, listOrdersOf } from './order-queries.ts';
import { toOrderView } from './order-views.ts';
import { sumReturned } from './refund-queries.ts';
import type { OrderPage, OrderView } from './schemas.ts';

/**
 * An order, with payments of it that were sent back.
 *
 * @throws AppError `not_found`, also for somebody else's order
 */
export async function readOrder(
  deps: Pick<Deps, 'db' | 'payments'>,
  input: { orderId: string; userId: string },
): Promise<OrderView> {
  const order = await findOrder(deps.db, input);
  if (!order) throw new AppError('not_found', 'There is no such order.');
  const returned = await sumReturned(deps.db, order.id);
  return { ...toOrderView(order, deps.payments), ...(returned.length > 0 ? { returned } : {}) };
}

/** One page of a user's orders, newest first. */
export async function readOrderPage(
  deps: Pick<Deps, 'db' | 'payments'>,
  input: { userId: string; cursor?: string; limit: number },
): Promise<OrderPage> {
  const rows = await listOrdersOf(deps.db, { ...input, limit: input.limit + 1 });
  const items = rows.slice(0, input.limit).map((row) => toOrderView(row, deps.payments));
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.id ?? null) : null };
}
