import { z } from 'zod';
import { AppError } from '#server/lib/app-error.ts';
import type { PaymentEvent, PaymentEventType } from './payment-provider.ts';

/** What Stripe's events mean to us. Fields that are not read here may have any shape: Stripe adds some every month. */

const name = z.string().min(1).max(255);
const amount = z.number().int().min(0);
const currency = z
  .string()
  .regex(/^[a-z]{3}$/i)
  .transform((code) => code.toUpperCase());
/** An id, or the object itself where Stripe was asked to expand it. */
const reference = z
  .union([name, z.object({ id: name }).transform((object) => object.id)])
  .nullish()
  .transform((id) => id ?? null);
/** One of our own ids; anything else that somebody wrote there names nothing of ours. */
const ourId = (value: unknown) => z.uuid().safeParse(value).data?.toLowerCase() ?? null;
const metadata = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((marks) => ({ orderId: ourId(marks?.order_id), refundId: ourId(marks?.refund_id) }));

const envelope = z.object({
  id: name,
  type: name,
  livemode: z.boolean(),
  data: z.object({ object: z.unknown() }),
});
const session = z.object({
  id: name,
  payment_intent: reference,
  payment_status: z.string(),
  amount_total: amount.nullish(),
  currency: currency.nullish(),
  metadata,
});
const refund = z.object({
  id: name,
  payment_intent: reference,
  amount,
  currency,
  status: z.string().nullish(),
  metadata,
});
const dispute = z.object({
  id: name,
  payment_intent: reference,
  amount,
  currency,
  status: z.string(),
  metadata,
});

/** Stripe also tells refunds as `charge.refunded` and `charge.refund.updated`: those would be the same refund once more. */
const REFUND_EVENTS = new Set(['refund.created', 'refund.updated', 'refund.failed']);

/** A closed inquiry, and a dispute that a refund prevented, took no money. */
const DISPUTE_ENDS: Readonly<Record<string, PaymentEventType>> = {
  won: 'dispute_won',
  warning_closed: 'dispute_won',
  prevented: 'dispute_won',
  lost: 'dispute_lost',
};

/**
 * Reads an event whose signature was verified.
 *
 * @throws AppError `bad_request` when it has not the shape of Stripe's events, or is of the other mode than our key: a
 *   test payment must never count beside a live key
 */
export function readStripeEvent(body: unknown, options: { test: boolean }): PaymentEvent {
  const event = parse(envelope, body);
  if (event.livemode === options.test) {
    throw new AppError(
      'bad_request',
      `This event is of ${event.livemode ? 'live' : 'test'} mode, and the secret key is not. Set key and signing secret of the same mode.`,
    );
  }
  const { object } = event.data;
  const about = { eventId: event.id, rawType: event.type };
  if (event.type.startsWith('checkout.session.')) return { ...about, ...readSession(event.type, object) };
  if (REFUND_EVENTS.has(event.type)) return { ...about, ...readRefund(object) };
  if (event.type === 'charge.dispute.created' || event.type === 'charge.dispute.closed') {
    return { ...about, ...readDispute(event.type, object) };
  }
  return { ...about, ...NOTHING };
}

type Reading = Omit<PaymentEvent, 'eventId' | 'rawType'>;

const NOTHING: Reading = {
  type: 'other',
  orderId: null,
  checkoutId: null,
  paymentId: null,
  amountMinor: null,
  currency: null,
};

function readSession(rawType: string, object: unknown): Reading {
  const { id, payment_intent, payment_status, amount_total, currency, metadata } = parse(session, object);
  const type = sessionType(rawType, payment_status);
  // The account may sell other things too, through sessions of their own.
  if (type === 'other' || metadata.orderId === null) return NOTHING;
  if (type === 'paid' && (payment_intent === null || amount_total == null || currency == null)) {
    throw unreadable();
  }
  return {
    type,
    orderId: metadata.orderId,
    checkoutId: id,
    paymentId: payment_intent,
    amountMinor: amount_total ?? null,
    currency: currency ?? null,
  };
}

function sessionType(rawType: string, paymentStatus: string): PaymentEventType {
  switch (rawType) {
    case 'checkout.session.completed':
      // A bank debit completes the form days before there is money; `async_payment_…` tells its end.
      return paymentStatus === 'paid' ? 'paid' : 'other';
    case 'checkout.session.async_payment_succeeded':
      return 'paid';
    case 'checkout.session.async_payment_failed':
      return 'payment_failed';
    case 'checkout.session.expired':
      return 'checkout_expired';
    default:
      return 'other';
  }
}

function readRefund(object: unknown): Reading {
  const { id, payment_intent, amount, currency, status, metadata } = parse(refund, object);
  return {
    type: 'refund',
    orderId: metadata.orderId,
    checkoutId: null,
    paymentId: payment_intent,
    amountMinor: amount,
    currency,
    refund: {
      refundId: id,
      ourRefundId: metadata.refundId,
      amountMinor: amount,
      status: refundStatus(status),
    },
  };
}

/** What a refund's status at Stripe means; a new word is one whose end is not known yet. */
export function refundStatus(status: string | null | undefined): 'settled' | 'pending' | 'failed' {
  if (status === 'succeeded') return 'settled';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}

function readDispute(rawType: string, object: unknown): Reading {
  const { id, payment_intent, amount, currency, status, metadata } = parse(dispute, object);
  return {
    type: rawType === 'charge.dispute.created' ? 'dispute_opened' : (DISPUTE_ENDS[status] ?? 'other'),
    orderId: metadata.orderId,
    checkoutId: null,
    paymentId: payment_intent,
    amountMinor: amount,
    currency,
    disputeId: id,
  };
}

function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (!result.success) throw unreadable();
  return result.data;
}

const unreadable = () => new AppError('bad_request', 'The event has not the shape that Stripe documents.');
