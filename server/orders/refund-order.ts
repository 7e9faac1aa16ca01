import { recordAudit } from '#server/audit/record-audit.ts';
import { clawBack, expireCredits } from '#server/billing/ledger.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { asPaid, type PaidOrder, savePaidOrder } from './order-money.ts';
import { lockOrder, type OrderRow, readOrderCredits } from './order-queries.ts';
import { findPaymentRefund, insertPaymentRefund, listOpenRefunds } from './refund-queries.ts';
import { creditsToTake, unspentShare } from './refund-shares.ts';
import type { RefundOrderInput } from './schemas.ts';

/**
 * An administrator pays an order back: the credits are taken and the refund is written in one transaction; the refund
 * lane asks the vendor. Once per key, and one at a time per order. `unspent` pays the share whose credits are still
 * there, rounded down to the minor unit; `full` pays what is left, and spent credits become a debt.
 *
 * @throws AppError `not_found`; `conflict` when the order is not paid (any more), or for `unspent` when nothing is left
 */
export async function refundOrder(
  deps: Pick<Deps, 'db' | 'newId' | 'due'>,
  input: RefundOrderInput & { actorId: string },
): Promise<{ refundId: string }> {
  const key = `admin:${input.key}`;
  const refundId = await deps.db.transaction(async (tx) => {
    const locked = await lockOrder(tx, input.orderId);
    if (!locked) throw new AppError('not_found', 'There is no such order.');
    const earlier = await findPaymentRefund(tx, { key });
    if (earlier?.orderId === locked.id) return earlier.id;
    if (earlier) throw new AppError('conflict', 'The form is out of date. Reload the page.');
    refuseUnrefundable(locked);
    const order = asPaid(locked);
    if ((await listOpenRefunds(tx, order)).length > 0) {
      throw new AppError('conflict', 'A refund of this order is on its way already. Wait for its end.');
    }
    await expireCredits(tx, order.userId);
    const share = await shareOf(tx, order, input.mode);
    const id = deps.newId();
    await clawBack(tx, {
      userId: order.userId,
      orderId: order.id,
      credits: share.credits,
      key: `clawback:refund:${id}`,
      actor: `operator:${input.actorId}`,
      reason: `Refund: ${input.reason}`,
    });
    await insertPaymentRefund(tx, {
      id,
      key,
      orderId: order.id,
      userId: order.userId,
      provider: order.provider,
      paymentId: order.paymentId,
      amountMinor: share.amountMinor,
      currency: order.currency,
      origin: 'admin',
      clawedBackCredits: share.credits,
      reason: input.reason,
      actor: `operator:${input.actorId}`,
    });
    await savePaidOrder(tx, locked, {
      ...order,
      clawedBackCredits: order.clawedBackCredits + share.credits,
    });
    await recordAudit(tx, {
      actorId: input.actorId,
      action: 'order.refund',
      subjectId: order.id,
      reason: input.reason,
      data: { mode: input.mode, refundId: id, amountMinor: share.amountMinor, currency: order.currency },
    });
    return id;
  });
  deps.due.wake();
  return { refundId };
}

function refuseUnrefundable(order: OrderRow): void {
  if (order.status === 'refunded') throw new AppError('conflict', 'This order is paid back already.');
  if (order.dispute === 'open') {
    throw new AppError('conflict', 'The payment is disputed: a refund would pay twice. Wait for its end.');
  }
  if (order.status === 'paid' || order.status === 'refunding') return;
  throw new AppError('conflict', 'This order was not paid: there is nothing to pay back.');
}

async function shareOf(
  tx: Tx,
  order: PaidOrder,
  mode: RefundOrderInput['mode'],
): Promise<{ credits: number; amountMinor: number }> {
  const { liveCredits, expiredCredits } = await readOrderCredits(tx, order.id);
  if (mode === 'full') {
    return {
      credits: creditsToTake(order, { goneMinor: order.amountMinor, expiredCredits }),
      amountMinor: order.amountMinor - order.refundedMinor,
    };
  }
  const share = unspentShare(order, { liveCredits, openMinor: 0 });
  if (share.amountMinor > 0) return share;
  throw new AppError(
    'conflict',
    'None of these credits are left, so their unspent share is nothing. Refund in full, or not at all.',
    { field: 'mode' },
  );
}
