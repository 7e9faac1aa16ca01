import type { Message } from '../deliver.ts';

/** What the played payment vendor knows. Amounts in the currency's minor unit. */

export type Checkout = {
  id: string;
  orderId: string;
  title: string;
  amountMinor: number;
  currency: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  successUrl: string;
  cancelUrl: string;
  status: 'open' | 'complete' | 'closed';
};

export type Payment = {
  id: string;
  checkoutId: string;
  orderId: string;
  amountMinor: number;
  currency: string;
  dispute: { id: string; status: 'open' | 'won' | 'lost' } | null;
};

/** Money that went back to a payer. */
export type Refund = {
  id: string;
  paymentId: string;
  orderId: string;
  amountMinor: number;
  currency: string;
  /** The row of the shop that asked for it; null when it was made on the vendor's page. */
  ourRefundId: string | null;
};

/** One event on its way to the shop. */
export type PaymentDelivery = Message & { eventId: string; type: string; orderId: string };

/** Calls of the API under one idempotency key; all but the first were answered with the first one's answer. */
type KeyedCalls = { calls: number; request: string; answer: unknown };

export type PaymentsState = {
  checkouts: Map<string, Checkout>;
  payments: Map<string, Payment>;
  refunds: Map<string, Refund>;
  keys: Map<string, KeyedCalls>;
  deliveries: PaymentDelivery[];
  /** So many answers to refunds get lost on their way; the refunds are made. */
  lostRefundAnswers: number;
};

/** What the vendor did for one order, or for all. */
export type PaymentsView = {
  checkouts: Checkout[];
  payments: Payment[];
  refunds: Refund[];
  deliveries: PaymentDelivery[];
  /** How often the API was called under each idempotency key. */
  calls: Record<string, number>;
};

export function createPaymentsState(): PaymentsState {
  return {
    checkouts: new Map(),
    payments: new Map(),
    refunds: new Map(),
    keys: new Map(),
    deliveries: [],
    lostRefundAnswers: 0,
  };
}

export function viewPayments(state: PaymentsState, filter: { orderId?: string } = {}): PaymentsView {
  const { orderId } = filter;
  const ofOrder = <T extends { orderId: string }>(items: Iterable<T>) =>
    [...items].filter((item) => orderId === undefined || item.orderId === orderId);
  return structuredClone({
    checkouts: ofOrder(state.checkouts.values()),
    payments: ofOrder(state.payments.values()),
    refunds: ofOrder(state.refunds.values()),
    deliveries: ofOrder(state.deliveries),
    calls: Object.fromEntries([...state.keys].map(([key, { calls }]) => [key, calls])),
  });
}

export const paymentsOf = (state: PaymentsState, checkoutId: string) =>
  [...state.payments.values()].filter((payment) => payment.checkoutId === checkoutId);

export const refundsOf = (state: PaymentsState, paymentId: string) =>
  [...state.refunds.values()].filter((refund) => refund.paymentId === paymentId);

/** What has not gone back yet. */
export const leftOf = (state: PaymentsState, payment: Payment) =>
  payment.amountMinor - refundsOf(state, payment.id).reduce((sum, { amountMinor }) => sum + amountMinor, 0);
