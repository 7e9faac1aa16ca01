import type { Tx } from '#server/db/client.ts';
import { asPaid, reinstate, savePaidOrder, takeBack } from './order-money.ts';
import type { OrderRow } from './order-queries.ts';
import { addClawedBack, changeRefund, insertPaymentRefund, type PaymentRefundRow } from './refund-queries.ts';

/** What a vendor's word on a refund does, in the caller's transaction; the order and the refund are locked. */

const clawBackKey = (provider: string, refundId: string): string => `clawback:refund:${provider}:${refundId}`;

/**
 * A refund of ours is through, whoever was waiting for it: evidence, so no lease is asked for. One that an administrator
 * had given up takes its credits back again.
 */
export async function settleRefund(
  tx: Tx,
  input: {
    order: OrderRow;
    refund: PaymentRefundRow;
    /** Null: it was paid by hand. */
    providerRefundId: string | null;
    actor: string;
    resolved?: { resolvedBy: string; resolution: string };
  },
): Promise<void> {
  const { order, refund, providerRefundId } = input;
  await changeRefund(tx, {
    id: refund.id,
    from: ['pending', 'manual', 'given_up'],
    to: 'settled',
    set: {
      attempts: refund.attempts + (refund.status === 'pending' ? 1 : 0),
      lastError: null,
      ...input.resolved,
      ...(providerRefundId ? { providerRefundId } : {}),
    },
  });
  if (refund.paymentId !== order.paymentId) return;
  const paid = asPaid(order);
  const refundedMinor = paid.refundedMinor + refund.amountMinor;
  const { order: next, taken } = await takeBack(
    tx,
    { ...paid, refundedMinor },
    {
      key: clawBackKey(order.provider, providerRefundId ?? refund.id),
      actor: input.actor,
      reason: refund.reason,
    },
  );
  if (taken > 0) await addClawedBack(tx, { id: refund.id, credits: taken });
  await savePaidOrder(tx, order, next);
}

/**
 * A refund that somebody made in the vendor's panel: recorded as settled, credits taken back for it, each once.
 *
 * @returns false when it was recorded before
 */
export async function takeProviderRefund(
  tx: Tx,
  input: { order: OrderRow; refundId: string; amountMinor: number; actor: string },
): Promise<boolean> {
  const { refundId, amountMinor, actor } = input;
  const order = asPaid(input.order);
  const { provider } = order;
  const reason = 'Refunded in the payment provider’s panel';
  const key = `provider:${provider}:${refundId}`;
  const { order: next, taken } = await takeBack(
    tx,
    { ...order, refundedMinor: order.refundedMinor + amountMinor },
    { key: clawBackKey(provider, refundId), actor, reason },
  );
  const row = await insertPaymentRefund(tx, {
    key,
    orderId: order.id,
    userId: order.userId,
    provider,
    paymentId: order.paymentId,
    amountMinor,
    currency: order.currency,
    origin: 'provider',
    clawedBackCredits: taken,
    reason,
    actor,
    providerRefundId: refundId,
    settled: true,
  });
  if (!row) return false;
  await savePaidOrder(tx, order, next);
  return true;
}

/**
 * The vendor says that a refund failed: a person decides. Asking again under the same key would only repeat the answer.
 * Money that had counted as gone counts as ours again; the credits stay taken until somebody gives the refund up.
 */
export async function failRefund(
  tx: Tx,
  input: { order: OrderRow; refund: PaymentRefundRow },
): Promise<void> {
  const { order, refund } = input;
  await changeRefund(tx, {
    id: refund.id,
    from: ['pending', 'settled'],
    to: 'manual',
    set: { lastError: 'The payment provider says that this refund failed.' },
  });
  if (refund.paymentId !== order.paymentId) return;
  const paid = asPaid(order);
  const refundedMinor =
    refund.status === 'settled' ? paid.refundedMinor - refund.amountMinor : paid.refundedMinor;
  await savePaidOrder(tx, order, { ...paid, refundedMinor });
}

/** An administrator gave a refund up: the credits taken for it come back, once, unless other money covers them. */
export async function giveUpRefund(
  tx: Tx,
  input: { order: OrderRow; refund: PaymentRefundRow; actorId: string; reason: string },
): Promise<void> {
  const { order, refund, actorId, reason } = input;
  await changeRefund(tx, {
    id: refund.id,
    from: ['manual'],
    to: 'given_up',
    set: { resolvedBy: actorId, resolution: reason },
  });
  if (refund.paymentId !== order.paymentId) return;
  const next = await reinstate(tx, asPaid(order), {
    key: `refund-given-up:${refund.id}`,
    actor: `operator:${actorId}`,
    reason: `Refund given up: ${reason}`,
    takenCredits: refund.clawedBackCredits,
  });
  await savePaidOrder(tx, order, next);
}
