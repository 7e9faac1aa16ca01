import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { pageOf } from '#server/lib/list-page.ts';
import { listEventsOfOrder, listOpenMismatches } from './event-queries.ts';
import { findBuyer, findOrder, listOrders, readOrderCredits } from './order-queries.ts';
import { toAdminOrderRow, toEventView, toRefundView } from './order-views.ts';
import { listPaymentRefunds, listRefundsOfOrder } from './refund-list-queries.ts';
import { listOpenRefunds } from './refund-queries.ts';
import { unspentShare } from './refund-shares.ts';
import type {
  AdminOrderDetail,
  AdminOrderPage,
  AdminOrdersInput,
  PaymentEventView,
  PaymentRefundPage,
  PaymentRefundsInput,
} from './schemas.ts';

/** One page of all orders, in the order asked for. */
export async function readAdminOrderPage(
  deps: Pick<Deps, 'db' | 'payments'>,
  input: AdminOrdersInput,
): Promise<AdminOrderPage> {
  const { rows, nextCursor } = pageOf(
    await listOrders(deps.db, { ...input, limit: input.limit + 1 }),
    input.limit,
  );
  return { items: rows.map((row) => toAdminOrderRow(row, deps.payments)), nextCursor };
}

/** An order with what the provider reported about it and the money that went back. */
export async function readAdminOrder(
  deps: Pick<Deps, 'db' | 'payments'>,
  orderId: string,
): Promise<AdminOrderDetail> {
  const { db, payments } = deps;
  const order = await findOrder(db, { orderId });
  if (!order) throw new AppError('not_found', 'There is no such order.');
  const { provider, paymentId } = order;
  const [buyer, credits, events, refunds, open] = await Promise.all([
    findBuyer(db, order.userId),
    readOrderCredits(db, orderId),
    listEventsOfOrder(db, orderId),
    listRefundsOfOrder(db, { orderId, limit: 100 }),
    paymentId ? listOpenRefunds(db, { provider, paymentId }) : [],
  ]);
  const openMinor = open.reduce((sum, refund) => sum + refund.amountMinor, 0);
  const share = paymentId
    ? unspentShare(order, { liveCredits: credits.liveCredits, openMinor })
    : { credits: 0, amountMinor: 0 };
  return {
    ...toAdminOrderRow({ ...order, userEmail: buyer?.email ?? '' }, payments),
    paymentId,
    checkoutId: order.checkoutId,
    unspentCredits: share.credits,
    unspentMinor: share.amountMinor,
    events: events.map(toEventView),
    refunds: refunds.map(toRefundView),
  };
}

/** One page of money on its way back, in the order asked for. */
export async function readPaymentRefunds(
  deps: Pick<Deps, 'db'>,
  input: PaymentRefundsInput,
): Promise<PaymentRefundPage> {
  const { rows, nextCursor } = pageOf(
    await listPaymentRefunds(deps.db, { ...input, limit: input.limit + 1 }),
    input.limit,
  );
  return { items: rows.map(toRefundView), nextCursor };
}

/** The newest 100 mismatches that nobody has decided yet. */
export async function readMismatches(deps: Pick<Deps, 'db'>): Promise<PaymentEventView[]> {
  return (await listOpenMismatches(deps.db, { limit: 100 })).map(toEventView);
}
