import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, int8, leaseColumns, moment, primaryId } from './columns.ts';
import { users } from './users.ts';

/** What can be bought. Orders keep a copy, so changes here touch no order. */
export const creditPacks = pgTable(
  'credit_packs',
  {
    id: primaryId(),
    title: text('title').notNull(),
    credits: int8('credits').notNull(),
    /** In the currency's minor unit, such as cents. */
    amountMinor: int8('amount_minor').notNull(),
    /** ISO 4217, upper case. */
    currency: text('currency').notNull(),
    /** The credits expire so many days after payment; null: never. */
    validDays: integer('valid_days'),
    enabled: boolean('enabled').notNull().default(true),
    position: integer('position').notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    check('credit_packs_credits', sql`${t.credits} between 1 and 1000000000`),
    check('credit_packs_amount', sql`${t.amountMinor} between 1 and 100000000000`),
    check('credit_packs_currency', sql`${t.currency} ~ '^[A-Z]{3}$'`),
    check('credit_packs_valid_days', sql`${t.validDays} between 1 and 3650`),
  ],
);

/** A purchase of credits. The transition table is in `server/orders/status.ts`. */
export const orders = pgTable(
  'orders',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    packId: uuid('pack_id').references(() => creditPacks.id, { onDelete: 'restrict' }),
    title: text('title').notNull(),
    credits: int8('credits').notNull(),
    amountMinor: int8('amount_minor').notNull(),
    currency: text('currency').notNull(),
    validDays: integer('valid_days'),
    status: text('status', {
      enum: ['pending', 'paid', 'expired', 'cancelled', 'refunding', 'refunded'],
    })
      .notNull()
      .default('pending'),
    /** The browser's key: the same form sent twice is one order. */
    requestKey: text('request_key').notNull(),
    provider: text('provider').notNull(),
    /** The provider's checkout, and where its page is. */
    checkoutId: text('checkout_id'),
    checkoutUrl: text('checkout_url'),
    /** The payment that was credited. */
    paymentId: text('payment_id'),
    /** When a pending order ends. */
    expiresAt: moment('expires_at').notNull(),
    paidAt: moment('paid_at'),
    endedAt: moment('ended_at'),
    cancelledBy: text('cancelled_by', { enum: ['user', 'admin'] }),
    /** Money that went back, and credits that were taken back for it (debts included). */
    refundedMinor: int8('refunded_minor').notNull().default(0),
    clawedBackCredits: int8('clawed_back_credits').notNull().default(0),
    dispute: text('dispute', { enum: ['open', 'won', 'lost'] }),
    /** The invite lane has not seen its last change yet. */
    invitesDue: boolean('invites_due').notNull().default(false),
    /** +1 by every change a page should see. */
    version: int8('version').notNull().default(1),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('orders_request_key_key').on(t.userId, t.requestKey),
    uniqueIndex('orders_checkout_key').on(t.provider, t.checkoutId).where(sql`${t.checkoutId} is not null`),
    uniqueIndex('orders_payment_key').on(t.provider, t.paymentId).where(sql`${t.paymentId} is not null`),
    index('orders_user_idx').on(t.userId, t.id),
    index('orders_status_idx').on(t.status, t.id),
    index('orders_expiry_idx').on(t.expiresAt, t.id).where(sql`${t.status} = 'pending'`),
    index('orders_invites_due_idx').on(t.id).where(sql`${t.invitesDue}`),
    index('orders_paid_idx').on(t.paidAt).where(sql`${t.paidAt} is not null`),
    check(
      'orders_status_known',
      sql`${t.status} in ('pending', 'paid', 'expired', 'cancelled', 'refunding', 'refunded')`,
    ),
    check('orders_amounts', sql`${t.credits} > 0 and ${t.amountMinor} > 0`),
    check('orders_refunded_range', sql`${t.refundedMinor} between 0 and ${t.amountMinor}`),
    check('orders_clawed_back_range', sql`${t.clawedBackCredits} between 0 and ${t.credits}`),
    check('orders_paid_has_payment', sql`(${t.paidAt} is null) = (${t.paymentId} is null)`),
    check('orders_paid_at', sql`${t.status} <> 'paid' or ${t.paidAt} is not null`),
    check(
      'orders_ended_at',
      sql`(${t.status} in ('expired', 'cancelled', 'refunded')) = (${t.endedAt} is not null)`,
    ),
    check('orders_cancelled_by', sql`${t.status} <> 'cancelled' or ${t.cancelledBy} is not null`),
  ],
);

/** What payment providers reported, each event once, and what became of it. */
export const paymentEvents = pgTable(
  'payment_events',
  {
    id: primaryId(),
    provider: text('provider').notNull(),
    eventId: text('event_id').notNull(),
    type: text('type').notNull(),
    orderId: uuid('order_id').references(() => orders.id, { onDelete: 'restrict' }),
    paymentId: text('payment_id'),
    amountMinor: int8('amount_minor'),
    currency: text('currency'),
    /** Redacted facts of the event; never card or personal data. */
    facts: jsonb('facts'),
    outcome: text('outcome', { enum: ['applied', 'repeated', 'ignored', 'mismatch'] }).notNull(),
    /** Why it was ignored or does not fit. */
    note: text('note'),
    /** An administrator looked at a mismatch. */
    resolvedAt: moment('resolved_at'),
    resolvedBy: uuid('resolved_by').references(() => users.id, { onDelete: 'restrict' }),
    resolution: text('resolution'),
    receivedAt: moment('received_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    uniqueIndex('payment_events_event_key').on(t.provider, t.eventId),
    index('payment_events_order_idx').on(t.orderId, t.id),
    index('payment_events_payment_idx').on(t.provider, t.paymentId),
    index('payment_events_open_idx')
      .on(t.id)
      .where(sql`${t.outcome} = 'mismatch' and ${t.resolvedAt} is null`),
    check(
      'payment_events_outcome_known',
      sql`${t.outcome} in ('applied', 'repeated', 'ignored', 'mismatch')`,
    ),
  ],
);

/** Money on its way back to a payer; the refund lane asks the provider, with this row's id as idempotency key. */
export const paymentRefunds = pgTable(
  'payment_refunds',
  {
    id: primaryId(),
    /** Names what it is for: one refund each. */
    key: text('key').notNull(),
    orderId: uuid('order_id')
      .notNull()
      .references(() => orders.id, { onDelete: 'restrict' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    provider: text('provider').notNull(),
    paymentId: text('payment_id').notNull(),
    amountMinor: int8('amount_minor').notNull(),
    currency: text('currency').notNull(),
    /** `admin`; `automatic`: a payment we could not take; `provider`: made in the provider's panel. */
    origin: text('origin', { enum: ['admin', 'automatic', 'provider'] }).notNull(),
    status: text('status', { enum: ['pending', 'settled', 'manual', 'given_up'] })
      .notNull()
      .default('pending'),
    /** Credits taken back when it was requested, debts included; given back when it is given up. */
    clawedBackCredits: int8('clawed_back_credits').notNull().default(0),
    reason: text('reason').notNull(),
    actor: text('actor').notNull(),
    providerRefundId: text('provider_refund_id'),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: moment('next_attempt_at'),
    lastError: text('last_error'),
    ...leaseColumns(),
    createdAt: createdAt(),
    settledAt: moment('settled_at'),
    /** The administrator's verdict on a refund that was `manual`. */
    resolvedBy: uuid('resolved_by').references(() => users.id, { onDelete: 'restrict' }),
    resolution: text('resolution'),
  },
  (t) => [
    uniqueIndex('payment_refunds_key_key').on(t.key),
    uniqueIndex('payment_refunds_provider_key')
      .on(t.provider, t.providerRefundId)
      .where(sql`${t.providerRefundId} is not null`),
    index('payment_refunds_due_idx').on(t.nextAttemptAt, t.id).where(sql`${t.status} = 'pending'`),
    index('payment_refunds_order_idx').on(t.orderId, t.id),
    index('payment_refunds_status_idx').on(t.status, t.id),
    check('payment_refunds_amount', sql`${t.amountMinor} > 0`),
    check('payment_refunds_status_known', sql`${t.status} in ('pending', 'settled', 'manual', 'given_up')`),
    check('payment_refunds_settled_at', sql`(${t.status} = 'settled') = (${t.settledAt} is not null)`),
    check('payment_refunds_due', sql`(${t.status} = 'pending') = (${t.nextAttemptAt} is not null)`),
  ],
);
