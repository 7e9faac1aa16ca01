import { z } from 'zod';
import { moneyReason } from '#server/billing/schemas.ts';
import { bulkIds, listCursor, listDays, listIds, listLimit, listSearch } from '#server/lib/schemas.ts';
import { ORDER_STATUSES, type OrderStatus } from './status.ts';

/** Inputs and views of orders: the contract of pages and API. Isomorphic: imports zod and contracts only. */

const key = z.uuid('The form is out of date. Reload the page.');
const orderId = z.uuid('This is not an order id.');

export const createOrderInput = z.object({
  packId: z.uuid('Choose a pack.'),
  /** The same form sent twice is one order. */
  requestKey: key,
});
export const orderIdInput = z.object({ orderId });
export const listOrdersInput = z.object({
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(20),
});

export type PackView = {
  id: string;
  title: string;
  credits: number;
  /** In the currency's minor unit, such as cents. */
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
  /** The credits expire so many days after payment; null: never. */
  validDays: number | null;
};
export type AdminPackView = PackView & { enabled: boolean; position: number; createdAt: Date };

/** Whether and how credits can be bought here. `test`: payments are played, no money moves. */
export type ShopView = { open: boolean; test: boolean; packs: PackView[] };

export type OrderView = {
  id: string;
  title: string;
  credits: number;
  amountMinor: number;
  currency: string;
  /** As of now: a pending order past its end reads as expired, though no sweep has been by. */
  status: OrderStatus;
  /** Where the payer goes, while it can be paid. */
  checkoutUrl: string | null;
  createdAt: Date;
  expiresAt: Date;
  paidAt: Date | null;
  endedAt: Date | null;
  refundedMinor: number;
  clawedBackCredits: number;
  dispute: 'open' | 'won' | 'lost' | null;
  cancelledBy: 'user' | 'admin' | null;
  /** Of one order alone: payments that we could not take, by currency. Left out: there were none. */
  returned?: ReturnedMinor[];
  /** +1 by every change that a page should show. */
  version: number;
};
/** Money of payments that were never credited, such as a second one; no part of `refundedMinor`. */
export type ReturnedMinor = {
  /** What was paid, which need not be the order's. */
  currency: string;
  onItsWayMinor: number;
  paidBackMinor: number;
};
export type OrderPage = { items: OrderView[]; nextCursor: string | null };

/** Money on its way back to the payer. */
export type PaymentRefundView = {
  id: string;
  orderId: string;
  userEmail: string;
  amountMinor: number;
  currency: string;
  origin: 'admin' | 'automatic' | 'provider';
  status: 'pending' | 'settled' | 'manual' | 'given_up';
  clawedBackCredits: number;
  reason: string;
  providerRefundId: string | null;
  attempts: number;
  nextAttemptAt: Date | null;
  lastError: string | null;
  createdAt: Date;
  settledAt: Date | null;
  resolution: string | null;
};
export const PAYMENT_REFUND_STATUSES = ['pending', 'settled', 'manual', 'given_up'] as const;
export const paymentRefundsInput = listDays.extend({
  status: z.enum(PAYMENT_REFUND_STATUSES).optional(),
  /** The e-mail address of a person, or the id of a person or an order. */
  who: listSearch,
  sort: z.enum(['made', 'amount']).default('made'),
  order: z.enum(['asc', 'desc']).default('desc'),
  cursor: listCursor.optional(),
  limit: listLimit,
  ids: listIds,
});
export type PaymentRefundsInput = z.infer<typeof paymentRefundsInput>;
export type PaymentRefundPage = { items: PaymentRefundView[]; nextCursor: string | null };

export type PaymentEventView = {
  id: string;
  provider: string;
  eventId: string;
  type: string;
  orderId: string | null;
  paymentId: string | null;
  amountMinor: number | null;
  currency: string | null;
  outcome: 'applied' | 'repeated' | 'ignored' | 'mismatch';
  note: string | null;
  receivedAt: Date;
  resolvedAt: Date | null;
  resolution: string | null;
};

export const adminOrdersInput = listDays.extend({
  status: z.enum(ORDER_STATUSES).optional(),
  userId: z.uuid().optional(),
  /** The e-mail address of a person, the id of a person or an order, or a payment as the provider names it. */
  who: listSearch,
  dispute: z.enum(['open', 'won', 'lost']).optional(),
  /** `paid`: only what was paid. */
  sort: z.enum(['made', 'amount', 'paid']).default('made'),
  order: z.enum(['asc', 'desc']).default('desc'),
  cursor: listCursor.optional(),
  limit: listLimit,
  ids: listIds,
});
export type AdminOrdersInput = z.infer<typeof adminOrdersInput>;
export type AdminOrderRow = OrderView & { userId: string; userEmail: string; provider: string };
export type AdminOrderPage = { items: AdminOrderRow[]; nextCursor: string | null };

export type AdminOrderDetail = AdminOrderRow & {
  paymentId: string | null;
  checkoutId: string | null;
  /** Of the credits bought, how many could be taken back now without a debt. */
  unspentCredits: number;
  /** What a refund of the unspent share would pay back, in minor units. */
  unspentMinor: number;
  events: PaymentEventView[];
  refunds: PaymentRefundView[];
};

export const closeOrderInput = orderIdInput.extend({ reason: moneyReason });
export const bulkCloseOrdersInput = z.object({ orderIds: bulkIds, reason: moneyReason });

/**
 * `unspent`: pays back the share whose credits are still there. `full`: pays back everything; spent credits become a
 * debt of the user.
 */
export const refundOrderInput = orderIdInput.extend({
  mode: z.enum(['unspent', 'full'], 'Choose what to pay back.'),
  reason: moneyReason,
  key,
});

export type RefundOrderInput = z.infer<typeof refundOrderInput>;

/** What the payer's bank decided, when the provider never reported it. */
export const endDisputeInput = orderIdInput.extend({
  verdict: z.enum(['won', 'lost'], 'Choose how it ended.'),
  reason: moneyReason,
});

export type EndDisputeInput = z.infer<typeof endDisputeInput>;

export const refundIdInput = z.object({ refundId: z.uuid('This is not a refund id.') });
/** `paid`: it was paid back by hand. `give_up`: nothing is paid back; the credits are given back. */
export const resolvePaymentRefundInput = refundIdInput.extend({
  verdict: z.enum(['paid', 'give_up'], 'Choose what happened.'),
  reason: moneyReason,
});

/** `retry`: back to the lane. The others as above. */
export const bulkPaymentRefundsInput = z.object({
  deed: z.enum(['retry', 'paid', 'give_up']),
  refundIds: bulkIds,
  reason: moneyReason,
});
export type BulkPaymentRefundsInput = z.infer<typeof bulkPaymentRefundsInput>;

export type ResolvePaymentRefundInput = z.infer<typeof resolvePaymentRefundInput>;

/** `return`: the money goes back to the payer. `dismiss`: nothing is done. */
export const resolveMismatchInput = z.object({
  eventId: z.uuid('This is not an event id.'),
  verdict: z.enum(['return', 'dismiss'], 'Choose what to do.'),
  reason: moneyReason,
});

export type ResolveMismatchInput = z.infer<typeof resolveMismatchInput>;

/** One vendor's cent of these is another's whole: a price could be wrong a hundredfold. */
const DISPUTED_MINOR_UNITS: readonly string[] = ['ISK', 'MGA', 'UGX'];

export const savePackInput = z.object({
  /** Left out: a new pack. Orders keep what they were made with. */
  packId: z.uuid('This is not a pack id.').optional(),
  /** Of a new pack: the same form sent twice makes one. */
  key: key.optional(),
  title: z.string('Name the pack.').trim().min(1, 'Name the pack.').max(80, 'At most 80 characters.'),
  credits: z
    .number('Enter a whole number of credits.')
    .int('Enter a whole number of credits.')
    .min(1, 'At least 1 credit.')
    .max(1_000_000_000, 'At most 1,000,000,000 credits.'),
  amountMinor: z
    .number('Enter the price.')
    .int('The price has more digits than the currency.')
    .min(1, 'The price is more than 0.')
    .max(100_000_000_000, 'The price is too high.'),
  currency: z
    .string('Enter a currency such as EUR.')
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{3}$/, 'A currency has three letters, such as EUR.')
    .refine(
      (code) => !DISPUTED_MINOR_UNITS.includes(code),
      'Payment vendors count this currency in another smallest unit than the standard does. Choose another one.',
    ),
  validDays: z
    .number()
    .int()
    .min(1, 'At least 1 day.')
    .max(3_650, 'At most 3,650 days.')
    .nullable()
    .default(null),
  enabled: z.boolean().default(true),
  position: z.number().int().min(0).max(10_000).default(0),
});
export type SavePackInput = z.infer<typeof savePackInput>;
