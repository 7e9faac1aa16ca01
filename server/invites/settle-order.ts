import { clawBack } from '#server/billing/ledger.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { orderStanding } from './order-standing.ts';
import type { InviteRow } from './queries.ts';
import {
  findFirstPaidOrder,
  lockDueOrder,
  lockInviteOf,
  markClawedBack,
  markOrderSeen,
  markQualified,
  markRefused,
  type SeenOrder,
} from './settlement-queries.ts';

export type OrderOutcome = 'qualified' | 'refused' | 'clawedBack' | 'nothing';

/**
 * What a change of an order means for the buyer's invite; the order counts as seen in the same transaction. Only the
 * first paid order counts: it qualifies the invite, and when it is refunded nothing is paid, or what was paid is taken
 * back, once. That is final: neither a dispute that is won later nor another order pays again.
 *
 * @returns undefined when another lane has the order, or has seen it
 */
export async function settleOrder(
  deps: Pick<Deps, 'db' | 'config'>,
  orderId: string,
): Promise<OrderOutcome | undefined> {
  return deps.db.transaction(async (tx) => {
    const order = await lockDueOrder(tx, orderId);
    if (!order) return undefined;
    const invite = await lockInviteOf(tx, order.userId);
    const outcome = invite ? await applyOrder(tx, { invite, order, config: deps.config }) : 'nothing';
    await crashPoint('invite.order.before-seen');
    await markOrderSeen(tx, orderId);
    await crashPoint('invite.order.before-commit');
    return outcome;
  });
}

async function applyOrder(
  tx: Tx,
  { invite, order, config }: { invite: InviteRow; order: SeenOrder; config: Deps['config'] },
): Promise<OrderOutcome> {
  const fallen = orderStanding(order) === 'fallen';
  switch (invite.status) {
    case 'bound':
      if (!order.paidAt || (await findFirstPaidOrder(tx, order.userId)) !== order.id) return 'nothing';
      if (fallen) return refuse(tx, invite, order);
      await markQualified(tx, {
        inviteId: invite.id,
        orderId: order.id,
        paidAt: order.paidAt,
        coolingOffMs: config.invites.coolingOffMs,
      });
      return 'qualified';
    case 'qualified':
      return fallen && invite.orderId === order.id ? refuse(tx, invite, order) : 'nothing';
    case 'rewarded':
      return fallen && invite.orderId === order.id ? takeBack(tx, invite) : 'nothing';
    case 'refused':
    case 'clawed_back':
      return 'nothing';
  }
}

async function refuse(tx: Tx, invite: InviteRow, order: SeenOrder): Promise<OrderOutcome> {
  const note = 'The first order was refunded before the reward was due.';
  await markRefused(tx, { inviteId: invite.id, orderId: order.id, note });
  return 'refused';
}

/** What was spent becomes a debt; accounts in the order of their users' ids. */
async function takeBack(tx: Tx, invite: InviteRow): Promise<OrderOutcome> {
  await markClawedBack(tx, { inviteId: invite.id, note: 'The first order was refunded after the reward.' });
  const sides = [
    { side: 'inviter', userId: invite.inviterId, credits: invite.inviterCredits },
    { side: 'invitee', userId: invite.inviteeId, credits: invite.inviteeCredits },
  ].sort((a, b) => (a.userId < b.userId ? -1 : 1));
  for (const { side, userId, credits } of sides) {
    await clawBack(tx, {
      userId,
      credits,
      key: `invite-clawback:${invite.id}:${side}`,
      actor: 'invite-lane',
      reason: 'Invite reward taken back: the order was refunded',
    });
    await crashPoint('invite.between-clawbacks');
  }
  return 'clawedBack';
}
