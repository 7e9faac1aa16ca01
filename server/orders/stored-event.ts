import { z } from 'zod';
import type { PaymentEventRow } from './event-queries.ts';
import type { PaymentEvent, PaymentEventType } from './payment/payment-provider.ts';

/** What is kept of an event beside its columns: ids and amounts, no card or personal data. */

const facts = z.object({
  rawType: z.string(),
  orderId: z.string().nullable(),
  checkoutId: z.string().nullable(),
  refund: z
    .object({
      refundId: z.string(),
      ourRefundId: z.string().nullable(),
      amountMinor: z.number(),
      status: z.enum(['settled', 'pending', 'failed']),
    })
    .optional(),
  disputeId: z.string().optional(),
});

/** Named one by one: whatever else a vendor's event may carry stays out. */
export function storedFacts(event: PaymentEvent): z.infer<typeof facts> {
  const { rawType, orderId, checkoutId, refund, disputeId } = event;
  return {
    rawType,
    orderId,
    checkoutId,
    ...(refund
      ? {
          refund: {
            refundId: refund.refundId,
            ourRefundId: refund.ourRefundId,
            amountMinor: refund.amountMinor,
            status: refund.status,
          },
        }
      : {}),
    ...(disputeId === undefined ? {} : { disputeId }),
  };
}

/** The event that a row was made of. */
export function readStoredEvent(row: PaymentEventRow): PaymentEvent {
  return {
    eventId: row.eventId,
    type: row.type as PaymentEventType,
    paymentId: row.paymentId,
    amountMinor: row.amountMinor,
    currency: row.currency,
    ...facts.parse(row.facts),
  };
}
