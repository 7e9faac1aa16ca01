import type { PaymentEventRow } from './event-queries.ts';
import type { ReadOrder } from './order-queries.ts';
import type { PackRow } from './pack-queries.ts';
import type { PaymentRefundRow } from './refund-queries.ts';
import type {
  AdminOrderRow,
  AdminPackView,
  OrderView,
  PackView,
  PaymentEventView,
  PaymentRefundView,
} from './schemas.ts';

export function toPackView(pack: PackRow): PackView {
  const { id, title, credits, amountMinor, currency, validDays } = pack;
  return { id, title, credits, amountMinor, currency, validDays };
}

export function toAdminPackView(pack: PackRow): AdminPackView {
  return {
    ...toPackView(pack),
    enabled: pack.enabled,
    position: pack.position,
    createdAt: pack.createdAt,
  };
}

/**
 * As of the moment of reading: a pending order past its end is expired.
 *
 * @param shop the payment provider that is set up: no other one's page is named
 */
export function toOrderView(order: ReadOrder, shop: { name: string } | undefined): OrderView {
  const status = order.overdue ? 'expired' : order.status;
  return {
    id: order.id,
    title: order.title,
    credits: order.credits,
    amountMinor: order.amountMinor,
    currency: order.currency,
    status,
    checkoutUrl: status === 'pending' && order.provider === shop?.name ? order.checkoutUrl : null,
    createdAt: order.createdAt,
    expiresAt: order.expiresAt,
    paidAt: order.paidAt,
    endedAt: order.overdue ? order.expiresAt : order.endedAt,
    refundedMinor: order.refundedMinor,
    clawedBackCredits: order.clawedBackCredits,
    dispute: order.dispute,
    cancelledBy: order.cancelledBy,
    version: order.version,
  };
}

export function toAdminOrderRow(
  order: ReadOrder & { userEmail: string },
  shop: { name: string } | undefined,
): AdminOrderRow {
  return {
    ...toOrderView(order, shop),
    userId: order.userId,
    userEmail: order.userEmail,
    provider: order.provider,
  };
}

export function toRefundView(row: PaymentRefundRow & { userEmail: string }): PaymentRefundView {
  return {
    id: row.id,
    orderId: row.orderId,
    userEmail: row.userEmail,
    amountMinor: row.amountMinor,
    currency: row.currency,
    origin: row.origin,
    status: row.status,
    clawedBackCredits: row.clawedBackCredits,
    reason: row.reason,
    providerRefundId: row.providerRefundId,
    attempts: row.attempts,
    nextAttemptAt: row.nextAttemptAt,
    lastError: row.lastError,
    createdAt: row.createdAt,
    settledAt: row.settledAt,
    resolution: row.resolution,
  };
}

export function toEventView(row: PaymentEventRow): PaymentEventView {
  return {
    id: row.id,
    provider: row.provider,
    eventId: row.eventId,
    type: row.type,
    orderId: row.orderId,
    paymentId: row.paymentId,
    amountMinor: row.amountMinor,
    currency: row.currency,
    outcome: row.outcome,
    note: row.note,
    receivedAt: row.receivedAt,
    resolvedAt: row.resolvedAt,
    resolution: row.resolution,
  };
}
