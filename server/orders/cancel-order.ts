import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { runBulk } from '#server/lib/run-bulk.ts';
import type { BulkReport } from '#server/lib/schemas.ts';
import { endCheckout } from './end-checkout.ts';
import { moveOrder } from './move-order.ts';
import { lockOrder, type ReadOrder } from './order-queries.ts';

type CancelDeps = Pick<Deps, 'db' | 'payments' | 'logger'>;

/**
 * The user cancels an order that is not paid. Cancelled twice is cancelled once. A payment that was made all the same
 * is credited: the payer wanted it.
 *
 * @throws AppError `not_found`; `conflict` when it was paid or has expired
 */
export async function cancelOrder(
  deps: CancelDeps,
  input: { orderId: string; userId: string },
): Promise<void> {
  const cancelled = await deps.db.transaction(async (tx) => {
    const order = await lockOrder(tx, input.orderId);
    if (!order || order.userId !== input.userId) throw new AppError('not_found', 'There is no such order.');
    if (order.status === 'cancelled') return undefined;
    if (order.overdue) throw new AppError('conflict', 'This order has expired already.');
    refuseUnlessPending(order);
    await moveOrder(tx, order, { to: 'cancelled', set: { cancelledBy: 'user' } });
    return order;
  });
  if (cancelled) await endCheckout(deps, cancelled);
}

/**
 * An administrator closes an order that is not paid. A payment that was made all the same goes back by itself.
 *
 * @throws AppError `not_found`; `conflict` when it has ended or was paid
 */
export async function closeOrder(
  deps: CancelDeps,
  input: { orderId: string; reason: string; actorId: string },
): Promise<void> {
  const closed = await deps.db.transaction(async (tx) => {
    const order = await lockOrder(tx, input.orderId);
    if (!order) throw new AppError('not_found', 'There is no such order.');
    refuseUnlessPending(order);
    await moveOrder(tx, order, { to: 'cancelled', set: { cancelledBy: 'admin' } });
    await recordAudit(tx, {
      actorId: input.actorId,
      action: 'order.close',
      subjectId: order.id,
      reason: input.reason,
    });
    return order;
  });
  await endCheckout(deps, closed);
}

/** As {@link closeOrder}, one order after the other: what one is refused stops no other. */
export async function closeOrders(
  deps: CancelDeps,
  { orderIds, ...by }: { orderIds: readonly string[]; reason: string; actorId: string },
): Promise<BulkReport> {
  return runBulk(deps, orderIds, (orderId) => closeOrder(deps, { ...by, orderId }));
}

function refuseUnlessPending(order: ReadOrder): void {
  if (order.status === 'pending') return;
  const paid = order.paidAt !== null;
  throw new AppError(
    'conflict',
    paid
      ? 'This order was paid: it can be refunded, not cancelled.'
      : `This order is ${order.status} already. Reload the page.`,
  );
}
