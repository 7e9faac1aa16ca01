import { z } from 'zod';
import type { Tx } from '#server/db/client.ts';
import type { PaymentSubject } from './decide-payment.ts';
import { listEventsOfPayment } from './event-queries.ts';
import {
  findBuyer,
  findOrder,
  findOrderByCheckout,
  findOrderByPayment,
  lockOrder,
  type OrderRow,
} from './order-queries.ts';
import type { PaymentEvent } from './payment/payment-provider.ts';
import { readDisputes } from './read-disputes.ts';
import {
  findPaymentRefund,
  findUnnamedRefund,
  lockPaymentRefund,
  type PaymentRefundRow,
} from './refund-queries.ts';
import { readStoredEvent } from './stored-event.ts';

/** What an event is about, with the rows that will be changed: order and refund are locked. */
export type Subject = PaymentSubject & {
  /** Another dispute of the same payment has not ended. */
  otherDisputeOpen: boolean;
  order: OrderRow | undefined;
  refund: PaymentRefundRow | undefined;
};

const isUuid = (text: string | null | undefined): text is string => z.uuid().safeParse(text).success;

export async function readSubject(
  tx: Tx,
  input: { provider: string; event: PaymentEvent },
): Promise<Subject> {
  const { provider, event } = input;
  const { paymentId, checkoutId } = event;
  const named = isUuid(event.orderId) ? await findOrder(tx, { orderId: event.orderId }) : undefined;
  const byCheckout = checkoutId ? await findOrderByCheckout(tx, { provider, checkoutId }) : undefined;
  const byPayment = paymentId ? await findOrderByPayment(tx, { provider, paymentId }) : undefined;
  const ours = event.type === 'refund' ? await findOurRefund(tx, input) : undefined;
  const strange = event.orderId !== null && !named;
  const orderId = strange ? undefined : (named?.id ?? byCheckout?.id ?? byPayment?.id ?? ours?.orderId);
  const owners = [byCheckout?.id, byPayment?.id, ours?.orderId].filter((id) => id !== undefined);
  // The order before its refunds: the order of locks everywhere.
  const order = orderId ? await lockOrder(tx, orderId) : undefined;
  const buyer = order ? await findBuyer(tx, order.userId) : undefined;
  return {
    provider,
    order,
    namesAnother: strange || owners.some((id) => id !== orderId),
    buyerClosed: order !== undefined && (!buyer || buyer.disabledAt !== null || buyer.deletedAt !== null),
    paymentReturns:
      paymentId !== null &&
      (await findPaymentRefund(tx, { key: `return:${provider}:${paymentId}` })) !== undefined,
    ...(await aboutDispute(tx, input)),
    refundFailed: await hasRefundFailed(tx, input),
    refund: order && ours ? await lockPaymentRefund(tx, ours.id) : undefined,
  };
}

/**
 * Our row of the refund that the vendor reports: by the vendor's id, by ours, else the one of the same payment and amount
 * that is under way and has no vendor's id yet. The last is an administrator who was quicker in the vendor's panel than
 * our lane: one refund, not two. Should ours have gone through as well, its own event is recorded as a further one.
 */
async function findOurRefund(
  tx: Tx,
  { provider, event }: { provider: string; event: PaymentEvent },
): Promise<PaymentRefundRow | undefined> {
  const { refund, paymentId } = event;
  if (!refund) return undefined;
  const known = await findPaymentRefund(tx, { provider, providerRefundId: refund.refundId });
  if (known) return known;
  if (isUuid(refund.ourRefundId)) {
    const asked = await findPaymentRefund(tx, { id: refund.ourRefundId });
    const free = asked?.providerRefundId === null || asked?.status === 'manual';
    if (asked && asked.provider === provider && free) return asked;
    return undefined;
  }
  if (!paymentId) return undefined;
  return findUnnamedRefund(tx, { provider, paymentId, amountMinor: refund.amountMinor });
}

/** What is known of the dispute that the event is about, and of the others of its payment. */
async function aboutDispute(
  tx: Tx,
  { provider, event: { disputeId, paymentId } }: { provider: string; event: PaymentEvent },
): Promise<Pick<Subject, 'disputeEnded' | 'disputeEnd' | 'otherDisputeOpen'>> {
  const known = disputeId && paymentId ? await readDisputes(tx, { provider, paymentId }) : [];
  const dispute = known.find(({ id }) => id === disputeId);
  return {
    disputeEnded: dispute?.ended ?? false,
    disputeEnd: dispute?.appliedEnd ?? null,
    otherDisputeOpen: known.some(({ id, opened, ended }) => id !== disputeId && opened && !ended),
  };
}

async function hasRefundFailed(
  tx: Tx,
  { provider, event: { refund, paymentId } }: { provider: string; event: PaymentEvent },
): Promise<boolean> {
  if (!refund || !paymentId) return false;
  const rows = await listEventsOfPayment(tx, { provider, paymentId, types: ['refund'] });
  const earlier = rows.map((row) => readStoredEvent(row).refund);
  return earlier.some((other) => other?.refundId === refund.refundId && other.status === 'failed');
}
