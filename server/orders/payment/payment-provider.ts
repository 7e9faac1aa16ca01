/** A payment vendor behind one interface. Amounts are in the currency's minor unit, currencies ISO 4217 upper case. */

export type CheckoutOrder = {
  orderId: string;
  title: string;
  amountMinor: number;
  currency: string;
  /** The payer's address, to fill the vendor's form. */
  email: string;
  expiresAt: Date;
  /** Where the vendor sends the payer afterwards. */
  successUrl: string;
  cancelUrl: string;
};

export type Checkout = { checkoutId: string; url: string };

/** The vendor will not take this order, however often it is asked. The message is for the log: no personal data. */
export class CheckoutRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CheckoutRefusedError';
  }
}

export type PaymentEventType =
  | 'paid'
  | 'payment_failed'
  | 'checkout_expired'
  | 'refund'
  | 'dispute_opened'
  | 'dispute_won'
  | 'dispute_lost'
  | 'other';

/** What a vendor reported, after its signature was verified. */
export type PaymentEvent = {
  eventId: string;
  type: PaymentEventType;
  /** The vendor's own word. */
  rawType: string;
  /** Our order id, as the vendor gives it back; null when it names none. */
  orderId: string | null;
  checkoutId: string | null;
  paymentId: string | null;
  amountMinor: number | null;
  currency: string | null;
  /** Of `refund`. `ourRefundId`: the id of our row, when we asked for it. */
  refund?: {
    refundId: string;
    ourRefundId: string | null;
    amountMinor: number;
    status: 'settled' | 'pending' | 'failed';
  };
  disputeId?: string;
};

export type RefundRequest = {
  /** Our row's id: the idempotency key, so that asking again refunds once. */
  refundId: string;
  orderId: string;
  paymentId: string;
  amountMinor: number;
  currency: string;
};

export type RefundAnswer =
  | { type: 'settled' | 'pending'; providerRefundId: string }
  /** An explicit no that asking again will not change; `reason` is for administrators. */
  | { type: 'refused'; reason: string };

export type PaymentProvider = {
  name: 'stripe' | 'sandbox';
  /** No money moves. */
  test: boolean;
  /**
   * Opens the vendor's page for an order. Repeated with the same order it answers the same checkout.
   *
   * @throws CheckoutRefusedError when the vendor refuses the order for good; Error when it did not answer or may take the
   *   order later; nothing was paid then
   */
  createCheckout(order: CheckoutOrder): Promise<Checkout>;
  /** Asks the vendor to take no more payment on a checkout. A payment may still have been made. @throws Error */
  expireCheckout(checkoutId: string): Promise<void>;
  /**
   * Verifies a callback on its raw bytes, signature and age included, and reads it.
   *
   * @throws AppError `unauthorized` when it is not the vendor's; `bad_request` when it cannot be read
   */
  readEvent(input: { rawBody: Buffer; headers: Readonly<Record<string, string>> }): PaymentEvent;
  /** @throws Error when the outcome is not known: ask again with the same refund */
  refund(request: RefundRequest): Promise<RefundAnswer>;
};
