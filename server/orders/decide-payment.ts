import type { PaymentEvent } from './payment/payment-provider.ts';
import type { OrderStatus } from './status.ts';

/** What the decision reads of the order that an event is about. */
export type DecidedOrder = {
  id: string;
  provider: string;
  status: OrderStatus;
  cancelledBy: 'user' | 'admin' | null;
  amountMinor: number;
  currency: string;
  /** What went back of the payment that was credited. */
  refundedMinor: number;
  dispute: 'open' | 'won' | 'lost' | null;
  checkoutId: string | null;
  paymentId: string | null;
};

type OurRefund = {
  status: 'pending' | 'settled' | 'manual' | 'given_up';
  amountMinor: number;
  paymentId: string;
  /** Null: the vendor has not named it yet; a settled one was paid by hand then. */
  providerRefundId: string | null;
};

export type PaymentSubject = {
  provider: string;
  /** The order that the event names; else the one that its checkout, payment or refund belongs to. */
  order: DecidedOrder | undefined;
  /** It names an order that is not ours, or its checkout or payment belongs to another order than it names. */
  namesAnother: boolean;
  /** The buyer's account is disabled or deleted. */
  buyerClosed: boolean;
  /** This very payment is on its way back, or was sent back. */
  paymentReturns: boolean;
  /** The vendor reported the end of this dispute before. */
  disputeEnded: boolean;
  /** The end of this dispute that was applied last: the vendor's word, or an administrator's before it came. */
  disputeEnd: 'won' | 'lost' | null;
  /** The vendor reported before that this refund failed. */
  refundFailed: boolean;
  /** Of `refund`: our row of it. */
  refund: OurRefund | undefined;
};

export type PaymentDecision =
  /** The order becomes paid, its credits are given. */
  | { do: 'credit' }
  /** The money goes back to the payer. */
  | { do: 'return'; note: string }
  | { do: 'expire' }
  /** A refund that we asked for is through. */
  | { do: 'settle_refund' }
  /** A refund made in the vendor's panel. */
  | { do: 'take_refund' }
  /** The vendor names a refund of ours: it is at it, or it was what somebody paid by hand. */
  | { do: 'name_refund' }
  | { do: 'fail_refund' }
  | { do: 'open_dispute' }
  | { do: 'win_dispute' }
  | { do: 'lose_dispute' }
  | { do: 'nothing'; outcome: 'ignored' | 'mismatch' | 'repeated'; note: string };

const ignore = (note: string): PaymentDecision => ({ do: 'nothing', outcome: 'ignored', note });
const mismatch = (note: string): PaymentDecision => ({ do: 'nothing', outcome: 'mismatch', note });

/**
 * What becomes of a vendor's event; pure. Money that came in is credited once, or goes back, or waits as a mismatch for
 * an administrator; a paid order is never undone by an event that is late.
 */
export function decidePayment(event: PaymentEvent, subject: PaymentSubject): PaymentDecision {
  switch (event.type) {
    case 'paid':
      return decidePaid(event, subject);
    case 'payment_failed':
      return ignore(
        subject.order?.paymentId
          ? 'Late: the order is paid.'
          : 'A failed attempt; the payer may try again while the order is open.',
      );
    case 'checkout_expired':
      return decideExpired(event, subject);
    case 'refund':
      return decideRefund(event, subject);
    case 'dispute_opened':
    case 'dispute_won':
    case 'dispute_lost':
      return decideDispute(event, subject);
    case 'other':
      return ignore('Nothing to do for an event of this type.');
  }
}

function decidePaid(event: PaymentEvent, subject: PaymentSubject): PaymentDecision {
  const { order } = subject;
  if (!order) return mismatch('The payment names no order of ours.');
  if (order.provider !== subject.provider) return mismatch('The order was made for another provider.');
  if (subject.namesAnother || differs(order.checkoutId, event.checkoutId)) {
    return mismatch('The checkout or the payment belongs to another order.');
  }
  if (!event.paymentId) return mismatch('The payment has no id.');
  if (event.currency !== order.currency) {
    return mismatch(`Paid in ${event.currency ?? 'no currency'}, the order is in ${order.currency}.`);
  }
  if (event.amountMinor !== order.amountMinor) {
    return mismatch(
      `Paid ${event.amountMinor ?? 'nothing'}, the order is for ${order.amountMinor} (in the smallest unit of ${order.currency}).`,
    );
  }
  if (subject.paymentReturns) return repeated('This payment is on its way back to the payer.');
  if (order.paymentId === event.paymentId) return repeated('This payment was credited before.');
  if (order.paymentId) return { do: 'return', note: 'A second payment of an order that is paid.' };
  if (order.status === 'cancelled' && order.cancelledBy === 'admin') {
    return { do: 'return', note: 'The order was closed by an administrator.' };
  }
  if (subject.buyerClosed) return { do: 'return', note: 'The account of the buyer is closed.' };
  return { do: 'credit' };
}

const repeated = (note: string): PaymentDecision => ({ do: 'nothing', outcome: 'repeated', note });

const differs = (ours: string | null, theirs: string | null): boolean =>
  ours !== null && theirs !== null && ours !== theirs;

function decideExpired(event: PaymentEvent, { order, namesAnother }: PaymentSubject): PaymentDecision {
  if (!order || namesAnother) return ignore('The checkout belongs to no order of ours.');
  if (differs(order.checkoutId, event.checkoutId)) return ignore('Not the checkout of this order.');
  if (order.status !== 'pending') return ignore(`Late: the order is ${order.status}.`);
  return { do: 'expire' };
}

function decideRefund(event: PaymentEvent, subject: PaymentSubject): PaymentDecision {
  const { order, refund: row } = subject;
  const { refund } = event;
  if (!refund) return mismatch('The event says nothing about the refund.');
  if (subject.namesAnother) return mismatch('The refund belongs to another order than it names.');
  if (!order) return ignore('The refund is of a payment that is not known here.');
  // Deliveries overtake each other, and a refund that failed stays failed: no money moves on two words that differ.
  if (subject.refundFailed && refund.status === 'settled') {
    return mismatch('The provider said before that this refund failed. Look there which of both is true.');
  }
  if (row) return decideOurRefund(refund, row, order);
  if (order.paymentId === null || order.paymentId !== event.paymentId) {
    return mismatch('The refund is of a payment that was not credited.');
  }
  if (refund.status !== 'settled') return ignore(`The provider says that this refund is ${refund.status}.`);
  if (refund.amountMinor <= 0) return ignore('Nothing went back.');
  if (event.currency !== null && event.currency !== order.currency) {
    return mismatch(`Refunded in ${event.currency}, the order is in ${order.currency}.`);
  }
  if (paysTooMuchBack(order, { ...refund, paymentId: order.paymentId })) return mismatch(TOO_MUCH);
  return { do: 'take_refund' };
}

const TOO_MUCH = 'More would have gone back than was paid.';

/** A refund that does not fit into what is left of the payment that was credited. */
export function paysTooMuchBack(
  order: Pick<DecidedOrder, 'amountMinor' | 'refundedMinor' | 'paymentId'>,
  refund: { amountMinor: number; paymentId: string },
): boolean {
  return refund.paymentId === order.paymentId && order.refundedMinor + refund.amountMinor > order.amountMinor;
}

function decideOurRefund(
  refund: NonNullable<PaymentEvent['refund']>,
  row: OurRefund,
  order: DecidedOrder,
): PaymentDecision {
  if (refund.amountMinor !== row.amountMinor) {
    return mismatch(`The provider says ${refund.amountMinor}, our refund is about ${row.amountMinor}.`);
  }
  switch (refund.status) {
    case 'settled':
      if (row.status === 'settled') {
        return row.providerRefundId === null ? { do: 'name_refund' } : repeated('This refund is settled.');
      }
      if (paysTooMuchBack(order, row)) return mismatch(TOO_MUCH);
      return { do: 'settle_refund' };
    case 'failed':
      if (row.status === 'pending' || row.status === 'settled') return { do: 'fail_refund' };
      return ignore('A person decides about this refund already.');
    case 'pending':
      if (row.status === 'pending' || row.status === 'manual') return { do: 'name_refund' };
      return ignore(`Late: this refund is ${row.status}.`);
  }
}

function decideDispute(event: PaymentEvent, subject: PaymentSubject): PaymentDecision {
  const { order } = subject;
  if (!event.disputeId) return mismatch('The dispute has no id.');
  if (subject.namesAnother) return mismatch('The dispute belongs to another order than it names.');
  if (!order) return ignore('The dispute is of a payment that is not known here.');
  if (order.paymentId === null || differs(order.paymentId, event.paymentId)) {
    return mismatch('The dispute is of a payment that was not credited.');
  }
  if (subject.disputeEnd !== null && event.type === `dispute_${subject.disputeEnd}`) {
    return ignore(`Late: this dispute was ${subject.disputeEnd} before.`);
  }
  switch (event.type) {
    case 'dispute_won':
      if (order.dispute === 'lost') return mismatch('This order’s dispute was lost before.');
      return { do: 'win_dispute' };
    case 'dispute_lost':
      return { do: 'lose_dispute' };
    default:
      if (subject.disputeEnded) return ignore('Late: this dispute has ended.');
      return { do: 'open_dispute' };
  }
}
