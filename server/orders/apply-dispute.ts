import type { Tx } from '#server/db/client.ts';
import { paysTooMuchBack } from './decide-payment.ts';
import { sumChargebacks } from './event-queries.ts';
import { asPaid, type PaidOrder, reinstate, savePaidOrder, takeBack } from './order-money.ts';
import type { OrderRow } from './order-queries.ts';
import {
  addClawedBack,
  changeRefund,
  holdRefundsOf,
  insertPaymentRefund,
  listOpenRefunds,
} from './refund-queries.ts';

/** What a dispute (chargeback) does, in the caller's transaction; the order is locked. */

type Input = { order: OrderRow; disputeId: string; actor: string };

const chargebackKey = ({ order, disputeId }: Input): string => `chargeback:${order.provider}:${disputeId}`;

/**
 * The payer's bank took the money back for now: so do we with the credits, all that are not taken yet. Refunds that wait
 * to be asked for are held: with the dispute they would pay twice.
 */
export async function openDispute(tx: Tx, input: Input): Promise<void> {
  const { order, actor } = input;
  const paid = asPaid(order);
  await holdRefundsOf(tx, {
    provider: paid.provider,
    paymentId: paid.paymentId,
    reason: 'The payment is disputed: a refund would pay twice. Decide when the dispute has ended.',
  });
  const { order: next } = await takeBack(
    tx,
    { ...paid, dispute: 'open' },
    { key: chargebackKey(input), actor, reason: 'The payment is disputed' },
  );
  await savePaidOrder(tx, order, next);
}

type End = Input & {
  /** Another dispute of the same payment goes on: credits stay taken until the last has ended. */
  otherOpen: boolean;
};

/** The money stays ours: the credits that the dispute took come back, once. */
export async function winDispute(tx: Tx, input: End): Promise<void> {
  const { order, otherOpen } = input;
  if (otherOpen) return;
  const paid = { ...asPaid(order), dispute: 'won' as const };
  await savePaidOrder(tx, order, await giveRest(tx, { ...input, paid, reason: 'The dispute was won' }));
}

/**
 * The money that was disputed is gone for good: it counts as paid back, and refunds that no longer fit are over. Takes
 * the credits too when the opening was never reported, and gives back those of a part that was not disputed.
 */
export async function loseDispute(
  tx: Tx,
  input: End & {
    /** Null, or more than is left: all that is left. */
    lostMinor: number | null;
  },
): Promise<void> {
  const { order, actor, disputeId, otherOpen } = input;
  const reason = 'The dispute was lost';
  const { paymentId } = asPaid(order);
  const leftMinor = order.amountMinor - order.refundedMinor;
  const amountMinor = Math.min(input.lostMinor ?? leftMinor, leftMinor);
  const row =
    amountMinor > 0 &&
    (await insertPaymentRefund(tx, {
      key: chargebackKey(input),
      orderId: order.id,
      userId: order.userId,
      provider: order.provider,
      paymentId,
      amountMinor,
      currency: order.currency,
      origin: 'provider',
      reason,
      actor,
      settled: true,
    }));
  // The same end under another event's id.
  if (row === undefined) return;
  const lost = {
    ...order,
    paymentId,
    dispute: otherOpen ? ('open' as const) : ('lost' as const),
    refundedMinor: order.refundedMinor + amountMinor,
  };
  for (const refund of await listOpenRefunds(tx, lost)) {
    if (!paysTooMuchBack(lost, refund)) continue;
    await changeRefund(tx, {
      id: refund.id,
      from: ['pending', 'manual'],
      to: 'given_up',
      set: { resolution: `${reason}: the payer has the money.` },
    });
  }
  // Not the key of the opening: one that was won at first took credits and gave them back.
  const key = `chargeback-lost:${order.provider}:${disputeId}`;
  const { order: paid, taken } = await takeBack(tx, lost, { key, actor, reason });
  if (row && taken > 0) await addClawedBack(tx, { id: row.id, credits: taken });
  const mayKeep = !otherOpen && lost.refundedMinor < order.amountMinor;
  await savePaidOrder(tx, order, mayKeep ? await giveRest(tx, { ...input, paid, reason }) : paid);
}

/** Gives back what disputes took and the money that is gone does not ask for. */
async function giveRest(tx: Tx, input: Input & { paid: PaidOrder; reason: string }): Promise<PaidOrder> {
  const { paid, actor, reason } = input;
  const key = `chargeback-rest:${paid.provider}:${input.disputeId}:${paid.dispute}`;
  const takenCredits = await sumChargebacks(tx, paid.id);
  return reinstate(tx, paid, { key, actor, reason, takenCredits });
}
