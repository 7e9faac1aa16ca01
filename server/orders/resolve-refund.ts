import { type AuditEntry, recordAudit } from '#server/audit/record-audit.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { runBulk } from '#server/lib/run-bulk.ts';
import type { BulkReport } from '#server/lib/schemas.ts';
import { giveUpRefund, settleRefund } from './apply-refund.ts';
import { paysTooMuchBack } from './decide-payment.ts';
import { lockOrder, type OrderRow } from './order-queries.ts';
import {
  changeRefund,
  findPaymentRefund,
  lockPaymentRefund,
  type PaymentRefundRow,
} from './refund-queries.ts';
import type { BulkPaymentRefundsInput, ResolvePaymentRefundInput } from './schemas.ts';

/**
 * Gives a refund that waits for people back to the lane, with all its tries.
 *
 * @throws AppError `not_found`; `conflict` when it does not wait for people, or while the payment is disputed
 */
export async function retryRefund(
  deps: Pick<Deps, 'db' | 'due'>,
  input: { refundId: string; actorId: string; reason?: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { order, refund } = await lockManual(tx, input.refundId);
    refuseDisputed(order, refund);
    if (paysTooMuchBack(order, refund)) throw alreadyBack();
    await changeRefund(tx, { id: refund.id, from: ['manual'], to: 'pending', set: { attempts: 0 } });
    await recordAudit(tx, { ...auditOf('refund.retry', input), reason: input.reason });
  });
  deps.due.wake();
}

/**
 * An administrator's word on a refund that waits for people. `paid`: it was paid by hand. `give_up`: nothing is paid, and
 * the credits that were taken for it are given back.
 *
 * @throws AppError `not_found`; `conflict` when it does not wait for people, while the payment is disputed, or when more
 *   would have gone back than was paid
 */
export async function resolveRefund(
  deps: Pick<Deps, 'db'>,
  input: ResolvePaymentRefundInput & { actorId: string },
): Promise<void> {
  const { actorId, reason, verdict } = input;
  await deps.db.transaction(async (tx) => {
    const { order, refund } = await lockManual(tx, input.refundId);
    refuseDisputed(order, refund);
    if (verdict === 'give_up') {
      await giveUpRefund(tx, { order, refund, actorId, reason });
    } else {
      if (paysTooMuchBack(order, refund)) throw alreadyBack();
      const resolved = { resolvedBy: actorId, resolution: reason };
      await settleRefund(tx, {
        order,
        refund,
        providerRefundId: null,
        actor: `operator:${actorId}`,
        resolved,
      });
    }
    await recordAudit(tx, {
      ...auditOf('refund.resolve', input),
      reason,
      data: { verdict, orderId: order.id, amountMinor: refund.amountMinor },
    });
  });
}

/** Does one thing to each of these refunds, one after the other: what one is refused stops no other. */
export async function runPaymentRefundDeeds(
  deps: Pick<Deps, 'db' | 'due' | 'logger'>,
  { deed, refundIds, ...by }: BulkPaymentRefundsInput & { actorId: string },
): Promise<BulkReport> {
  return runBulk(deps, refundIds, (refundId) =>
    deed === 'retry'
      ? retryRefund(deps, { ...by, refundId })
      : resolveRefund(deps, { ...by, refundId, verdict: deed }),
  );
}

async function lockManual(tx: Tx, refundId: string): Promise<{ order: OrderRow; refund: PaymentRefundRow }> {
  const known = await findPaymentRefund(tx, { id: refundId });
  // The order before its refund: the order of locks everywhere.
  const order = known && (await lockOrder(tx, known.orderId));
  const refund = order && (await lockPaymentRefund(tx, refundId));
  if (!order || !refund) throw new AppError('not_found', 'There is no such refund.');
  if (refund.status !== 'manual') {
    throw new AppError('conflict', `This refund is ${refund.status.replace('_', ' ')}. Reload the page.`);
  }
  return { order, refund };
}

function refuseDisputed(order: OrderRow, refund: PaymentRefundRow): void {
  if (order.dispute !== 'open' || refund.paymentId !== order.paymentId) return;
  throw new AppError('conflict', 'The payment is disputed. Decide when the dispute has ended.');
}

const alreadyBack = () =>
  new AppError(
    'conflict',
    'More would have gone back than was paid: the money is back by another refund. Give this one up.',
  );

const auditOf = (action: AuditEntry['action'], input: { refundId: string; actorId: string }): AuditEntry => ({
  actorId: input.actorId,
  action,
  subjectId: input.refundId,
});
