import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { settleRefund, takeProviderRefund } from './apply-refund.ts';
import { paysTooMuchBack } from './decide-payment.ts';
import { lockPayment } from './event-queries.ts';
import { lockOrder, type OrderRow } from './order-queries.ts';
import {
  changeRefund,
  findPaymentRefund,
  lockPaymentRefund,
  type PaymentRefundRow,
} from './refund-queries.ts';

/**
 * Records that the vendor paid a refund of ours back. The answer is evidence: it counts though the lease was lost, and
 * though the vendor's callback was quicker, which it may have been under our id, under its own, or not at all.
 */
export async function recordAnswer(
  deps: Pick<Deps, 'db'>,
  input: { refund: PaymentRefundRow; providerRefundId: string },
): Promise<void> {
  const { refund, providerRefundId } = input;
  await deps.db.transaction(async (tx) => {
    await lockPayment(tx, refund);
    const order = await lockOrder(tx, refund.orderId);
    const row = await lockPaymentRefund(tx, refund.id);
    if (!order || !row) throw new Error(`Refund ${refund.id} has no order`);
    await record(tx, { order, row, providerRefundId });
    await crashPoint('payment-refund.before-commit');
  });
}

async function record(
  tx: Tx,
  input: { order: OrderRow; row: PaymentRefundRow; providerRefundId: string },
): Promise<void> {
  const { order, row, providerRefundId } = input;
  const known = await findPaymentRefund(tx, { provider: row.provider, providerRefundId });
  if (known && known.id !== row.id) {
    // Counted already, as one made in the vendor's panel: its callback did not say that it was ours.
    if (row.status !== 'pending' && row.status !== 'manual') return;
    await changeRefund(tx, {
      id: row.id,
      from: ['pending', 'manual'],
      to: 'given_up',
      set: { resolution: `The provider reported it as ${providerRefundId}; it is counted there.` },
    });
    return;
  }
  if (row.status === 'settled') {
    if (row.providerRefundId === null || row.providerRefundId === providerRefundId) return;
    // Ours was settled by one made in the panel, and went through as well.
    if (row.paymentId !== order.paymentId || paysTooMuchBack(order, row)) return;
    const { amountMinor } = row;
    await takeProviderRefund(tx, { order, refundId: providerRefundId, amountMinor, actor: 'refund-lane' });
    return;
  }
  if (paysTooMuchBack(order, row)) {
    throw new Error('The provider paid back more than was left of the payment');
  }
  await settleRefund(tx, { order, refund: row, providerRefundId, actor: 'refund-lane' });
}
