import { newId } from '#server/lib/ids.ts';
import type {
  Checkout,
  CheckoutOrder,
  PaymentEvent,
  PaymentProvider,
  RefundAnswer,
  RefundRequest,
} from '#server/orders/payment/payment-provider.ts';

type PlayedPayment = {
  paymentId: string;
  orderId: string;
  amountMinor: number;
  currency: string;
  /** What went back, by idempotency key or by the panel's own id. */
  refunds: Map<string, number>;
  /** A payment is disputed once; while it is, nothing is refunded. */
  dispute: 'none' | 'open' | 'ended';
};

/** A payment vendor that keeps its own books, in memory: what it says went back is what went back. */
export type PlayedVendor = PaymentProvider & {
  payments: Map<string, PlayedPayment>;
  /** A payment arrives at the vendor; what it reports of it. */
  pay(order: { orderId: string; amountMinor: number; currency: string }): PaymentEvent;
  /** Somebody pays back in the vendor's panel, at most what is left; undefined when nothing is. */
  refundInPanel(paymentId: string, share: number): PaymentEvent | undefined;
  /** The next thing in a payment's dispute: it opens, then it ends; undefined when there is nothing to dispute. */
  dispute(paymentId: string, won: boolean): PaymentEvent | undefined;
  /** Reports of refunds that were asked for, to be delivered at any time. */
  told: PaymentEvent[];
};

/**
 * @param faults in [0, 1) per refund call: below 0.2 the request is lost, below 0.4 its answer is, below 0.5 the refund
 *   takes its time and is reported later
 */
export function createPlayedVendor(faults: () => number): PlayedVendor {
  const payments = new Map<string, PlayedPayment>();
  const told: PaymentEvent[] = [];
  const next = (what: string) => `${what}_${newId()}`;
  const left = (payment: PlayedPayment) =>
    [...payment.refunds.values()].reduce((rest, part) => rest - part, payment.amountMinor);
  const event = (type: PaymentEvent['type'], payment: PlayedPayment): PaymentEvent => ({
    eventId: next('event'),
    type,
    rawType: type,
    orderId: payment.orderId,
    checkoutId: null,
    paymentId: payment.paymentId,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
  });
  const known = (paymentId: string): PlayedPayment => {
    const payment = payments.get(paymentId);
    if (!payment) throw new Error(`The vendor knows no payment ${paymentId}`);
    return payment;
  };

  return {
    name: 'sandbox',
    test: true,
    payments,
    told,
    async createCheckout({ orderId }: CheckoutOrder): Promise<Checkout> {
      return { checkoutId: `checkout_${orderId}`, url: `https://pay.example.com/${orderId}` };
    },
    async expireCheckout() {},
    readEvent() {
      throw new Error('Events of the played vendor are handed over directly');
    },
    async refund(request: RefundRequest): Promise<RefundAnswer> {
      const fault = faults();
      if (fault < 0.2) throw new Error('The request was lost');
      const payment = known(request.paymentId);
      const providerRefundId = `refund_${request.refundId}`;
      if (!payment.refunds.has(request.refundId)) {
        if (payment.dispute === 'open') return { type: 'refused', reason: 'The payment is disputed' };
        if (request.amountMinor > left(payment)) {
          return { type: 'refused', reason: 'More than is left of the payment' };
        }
        payment.refunds.set(request.refundId, request.amountMinor);
        told.push({
          ...event('refund', payment),
          refund: {
            refundId: providerRefundId,
            ourRefundId: request.refundId,
            amountMinor: request.amountMinor,
            status: 'settled',
          },
        });
      }
      if (fault < 0.4) throw new Error('The answer was lost');
      return { type: fault < 0.5 ? 'pending' : 'settled', providerRefundId };
    },
    pay({ orderId, amountMinor, currency }) {
      const payment: PlayedPayment = {
        paymentId: next('payment'),
        orderId,
        amountMinor,
        currency,
        refunds: new Map(),
        dispute: 'none',
      };
      payments.set(payment.paymentId, payment);
      return event('paid', payment);
    },
    refundInPanel(paymentId, share) {
      const payment = known(paymentId);
      if (payment.dispute === 'open' || left(payment) === 0) return undefined;
      const amountMinor = Math.max(1, Math.floor(left(payment) * share));
      const refundId = next('panel');
      payment.refunds.set(refundId, amountMinor);
      return {
        ...event('refund', payment),
        refund: { refundId, ourRefundId: null, amountMinor, status: 'settled' },
      };
    },
    dispute(paymentId, won) {
      const payment = known(paymentId);
      const disputeId = `dispute_${paymentId}`;
      if (payment.dispute === 'none' && left(payment) > 0) {
        payment.dispute = 'open';
        return { ...event('dispute_opened', payment), disputeId };
      }
      if (payment.dispute !== 'open') return undefined;
      payment.dispute = 'ended';
      if (!won) payment.refunds.set(disputeId, left(payment));
      return { ...event(won ? 'dispute_won' : 'dispute_lost', payment), disputeId };
    },
  };
}
