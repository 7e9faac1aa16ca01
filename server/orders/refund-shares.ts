import { floorShare } from '#server/lib/money.ts';
import type { OrderStatus } from './status.ts';

/** What of an order goes back, in credits and in money. Pure; parts are rounded down ({@link floorShare}). */

type Amounts = { credits: number; amountMinor: number; refundedMinor: number; clawedBackCredits: number };

/**
 * The share of an order whose credits are still there: at most what was not taken back yet, and money that is not on
 * its way already.
 */
export function unspentShare(
  order: Amounts,
  input: { liveCredits: number; openMinor: number },
): { credits: number; amountMinor: number } {
  const credits = Math.min(input.liveCredits, order.credits - order.clawedBackCredits);
  const left = order.amountMinor - order.refundedMinor - input.openMinor;
  if (credits <= 0 || left <= 0) return { credits: 0, amountMinor: 0 };
  return { credits, amountMinor: Math.min(floorShare(order.amountMinor, credits, order.credits), left) };
}

/** What of the money is gone or going, in minor units, and which of the order's credits expired unspent. */
type Gone = { goneMinor: number; expiredCredits: number };

/**
 * Credits that the money which is gone no longer covers: ⌊credits × gone ÷ amount⌋. Credits that expired unspent are
 * gone already and are never taken a second time.
 */
function uncovered(order: Amounts, { goneMinor, expiredCredits }: Gone): number {
  const share = floorShare(order.credits, Math.min(goneMinor, order.amountMinor), order.amountMinor);
  return Math.max(0, Math.min(share, order.credits - expiredCredits));
}

/** Credits to take back now: what is not covered, less what was taken before. */
export function creditsToTake(order: Amounts, gone: Gone): number {
  return Math.max(0, uncovered(order, gone) - order.clawedBackCredits);
}

/** Of credits that were taken back for money that stays after all: how many can be given back. */
export function creditsToGiveBack(order: Amounts, input: Gone & { takenCredits: number }): number {
  return Math.max(0, Math.min(input.takenCredits, order.clawedBackCredits - uncovered(order, input)));
}

/** Where an order that was paid stands. `open`: money of it is on its way back. */
export function statusOfPaid(order: {
  amountMinor: number;
  refundedMinor: number;
  dispute: 'open' | 'won' | 'lost' | null;
  open: boolean;
}): Extract<OrderStatus, 'paid' | 'refunding' | 'refunded'> {
  if (order.refundedMinor >= order.amountMinor) return 'refunded';
  return order.open || order.dispute === 'open' ? 'refunding' : 'paid';
}
