import { clawBack, expireCredits, postEntry } from '#server/billing/ledger.ts';
import type { Tx } from '#server/db/client.ts';
import { tellPerson } from '#server/notifications/tell-owner.ts';
import { moveOrder } from './move-order.ts';
import { type OrderRow, readOrderCredits } from './order-queries.ts';
import { listOpenRefunds } from './refund-queries.ts';
import { creditsToGiveBack, creditsToTake, statusOfPaid } from './refund-shares.ts';

/**
 * Credits and status of a paid order, when money of it moves. `refundedMinor` counts what went back of the payment that
 * was credited (`orders.payment_id`); a second payment that was returned is not part of it.
 */

/** A paid order, as the transaction has locked it and changed it so far. */
export type PaidOrder = OrderRow & { paymentId: string };

type Movement = { key: string; actor: string; reason: string };

/** @throws Error when the order was never paid */
export function asPaid(order: OrderRow): PaidOrder {
  if (order.paymentId === null) throw new Error(`Order ${order.id} was never paid`);
  return { ...order, paymentId: order.paymentId };
}

/** Money of the credited payment that is back or on its way; all of it while it is disputed. */
async function goneMinor(tx: Tx, order: PaidOrder): Promise<number> {
  if (order.dispute === 'open') return order.amountMinor;
  const open = await listOpenRefunds(tx, order);
  return order.refundedMinor + open.reduce((sum, refund) => sum + refund.amountMinor, 0);
}

/**
 * Takes back the credits that the money which is gone no longer covers, once per key; what was spent becomes a debt.
 *
 * @returns the order with what was taken, and how much that was
 */
export async function takeBack(
  tx: Tx,
  order: PaidOrder,
  movement: Movement,
): Promise<{ order: PaidOrder; taken: number }> {
  // First, so that what expired just now counts as expired.
  await expireCredits(tx, order.userId);
  const { expiredCredits } = await readOrderCredits(tx, order.id);
  const credits = creditsToTake(order, { goneMinor: await goneMinor(tx, order), expiredCredits });
  const { taken, owed } = await clawBack(tx, {
    ...movement,
    userId: order.userId,
    orderId: order.id,
    credits,
  });
  const total = taken + owed;
  return { order: { ...order, clawedBackCredits: order.clawedBackCredits + total }, taken: total };
}

/**
 * Gives back credits that were taken for money which stays after all, once per key, valid as long as when they were
 * bought. They pay debts first, and so those that the taking made.
 */
export async function reinstate(
  tx: Tx,
  order: PaidOrder,
  movement: Movement & { takenCredits: number },
): Promise<PaidOrder> {
  const { takenCredits, ...entry } = movement;
  await expireCredits(tx, order.userId);
  const { expiredCredits } = await readOrderCredits(tx, order.id);
  const credits = creditsToGiveBack(order, {
    takenCredits,
    goneMinor: await goneMinor(tx, order),
    expiredCredits,
  });
  const moved = await postEntry(tx, {
    ...entry,
    userId: order.userId,
    kind: 'reinstate',
    deltaCredits: credits,
    orderId: order.id,
    bucket: { kind: 'purchased', validDays: order.validDays },
  });
  return moved ? { ...order, clawedBackCredits: order.clawedBackCredits - credits } : order;
}

/** Saves what the steps before made of a paid order; its status follows from where its money is. Tells of money that went back. */
export async function savePaidOrder(
  tx: Tx,
  before: Pick<OrderRow, 'id' | 'status' | 'refundedMinor'>,
  order: PaidOrder,
): Promise<void> {
  const open = (await listOpenRefunds(tx, order)).length > 0;
  await moveOrder(tx, before, {
    to: statusOfPaid({ ...order, open }),
    set: {
      refundedMinor: order.refundedMinor,
      clawedBackCredits: order.clawedBackCredits,
      dispute: order.dispute,
      invitesDue: true,
    },
  });
  const backMinor = order.refundedMinor - before.refundedMinor;
  if (backMinor <= 0) return;
  const { id: orderId, userId, title, currency } = order;
  await tellPerson(tx, {
    userId,
    type: 'order.refunded',
    data: { orderId, title, amountMinor: backMinor, currency },
  });
}
