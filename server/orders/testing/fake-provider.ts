import type {
  CheckoutOrder,
  PaymentEvent,
  PaymentProvider,
  RefundAnswer,
  RefundRequest,
} from '../payment/payment-provider.ts';

/** A vendor in memory. A test says what goes wrong; checkouts and refunds are the same when asked for again. */
export type FakeProvider = PaymentProvider & {
  checkouts: CheckoutOrder[];
  ended: string[];
  /** Every call of `refund`, repeats included. */
  asked: RefundRequest[];
  /** Refunds that the vendor has made, by idempotency key. */
  made: Map<string, RefundRequest>;
  /** Runs before a call is answered; throws to lose the answer. */
  onCheckout: (() => void | Promise<void>) | undefined;
  onExpire: (() => void) | undefined;
  /** After the refund was made; what it returns is the answer, a throw loses it. */
  onRefund: ((request: RefundRequest) => RefundAnswer | Promise<RefundAnswer>) | undefined;
};

export function createFakeProvider(): FakeProvider {
  const fake: FakeProvider = {
    name: 'sandbox',
    test: true,
    checkouts: [],
    ended: [],
    asked: [],
    made: new Map(),
    onCheckout: undefined,
    onExpire: undefined,
    onRefund: undefined,
    async createCheckout(order) {
      fake.checkouts.push(order);
      await fake.onCheckout?.();
      return { checkoutId: `checkout-${order.orderId}`, url: `https://pay.example.com/${order.orderId}` };
    },
    async expireCheckout(checkoutId) {
      fake.ended.push(checkoutId);
      fake.onExpire?.();
    },
    readEvent() {
      throw new Error('Tests hand events over directly');
    },
    async refund(request) {
      fake.asked.push(request);
      fake.made.set(request.refundId, request);
      const settled: RefundAnswer = { type: 'settled', providerRefundId: refundOf(request.refundId) };
      return (await fake.onRefund?.(request)) ?? settled;
    },
  };
  return fake;
}

/** The vendor's id of a refund that we asked for. */
export const refundOf = (refundId: string): string => `vendor-${refundId}`;

/** A verified event about nothing in particular. */
export function paymentEvent(
  overrides: Partial<PaymentEvent> & Pick<PaymentEvent, 'eventId' | 'type'>,
): PaymentEvent {
  return {
    rawType: overrides.type,
    orderId: null,
    checkoutId: null,
    paymentId: null,
    amountMinor: null,
    currency: null,
    ...overrides,
  };
}
