import { recordAudit } from '#server/audit/record-audit.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { lockPayment, lockPaymentEvent, type PaymentEventRow, resolveEvent } from './event-queries.ts';
import { findOrder, findOrderByPayment } from './order-queries.ts';
import { insertPaymentRefund } from './refund-queries.ts';
import type { ResolveMismatchInput } from './schemas.ts';

/**
 * An administrator decides about a payment that does not fit. `return`: what was really paid goes back, once per payment.
 * `dismiss`: nothing is done.
 *
 * @throws AppError `not_found`; `conflict` when it was decided before, or when the payment was credited; `bad_request`
 *   for the return of something that is no payment for an order of ours
 */
export async function resolveMismatch(
  deps: Pick<Deps, 'db' | 'due'>,
  input: ResolveMismatchInput & { actorId: string },
): Promise<void> {
  const { actorId, eventId: id, reason, verdict } = input;
  await deps.db.transaction(async (tx) => {
    const event = await lockPaymentEvent(tx, id);
    if (event?.outcome !== 'mismatch') throw new AppError('not_found', 'There is no such mismatch.');
    if (event.resolvedAt) throw new AppError('conflict', 'This was decided already. Reload the page.');
    if (verdict === 'return') await returnPayment(tx, { event, actorId, reason });
    await resolveEvent(tx, { id, resolvedBy: actorId, resolution: `${verdict}: ${reason}` });
    await recordAudit(tx, {
      actorId,
      action: 'payment.resolve',
      subjectId: id,
      reason,
      data: { verdict, provider: event.provider, paymentId: event.paymentId, orderId: event.orderId },
    });
  });
  deps.due.wake();
}

async function returnPayment(
  tx: Tx,
  { event, actorId, reason }: { event: PaymentEventRow; actorId: string; reason: string },
): Promise<void> {
  const { provider, paymentId, amountMinor, currency } = event;
  if (event.type !== 'paid' || !paymentId || !amountMinor || !currency) {
    throw new AppError('bad_request', 'This is no payment that could go back. Dismiss it instead.');
  }
  const order = event.orderId ? await findOrder(tx, { orderId: event.orderId }) : undefined;
  if (!order || order.provider !== provider) {
    throw new AppError(
      'bad_request',
      'No order of ours belongs to this payment. Return it in the provider’s panel, then dismiss it.',
    );
  }
  await lockPayment(tx, { provider, paymentId });
  if (await findOrderByPayment(tx, { provider, paymentId })) {
    throw new AppError('conflict', 'This payment was credited to an order. Refund that order instead.');
  }
  // Once per payment, however many notices of it there are.
  await insertPaymentRefund(tx, {
    key: `return:${provider}:${paymentId}`,
    orderId: order.id,
    userId: order.userId,
    provider,
    paymentId,
    amountMinor,
    currency,
    origin: 'automatic',
    reason,
    actor: `operator:${actorId}`,
  });
}
