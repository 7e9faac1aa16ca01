import { readClock } from '#server/billing/bucket-queries.ts';
import { postEntry } from '#server/billing/ledger.ts';
import { lockAccount } from '#server/billing/queries.ts';
import type { Tx } from '#server/db/client.ts';
import type { Config, Deps } from '#server/deps.ts';
import { tellPerson } from '#server/notifications/tell-owner.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { orderStanding } from './order-standing.ts';
import { countRewards, type InviteRow } from './queries.ts';
import {
  findOrder,
  listClosedAccounts,
  lockClaimed,
  markRefused,
  markRewarded,
  postponeInvite,
} from './settlement-queries.ts';

type RewardOutcome = 'rewarded' | 'refused' | 'postponed' | 'lost';

/** How often an order is looked at again whose refund is not decided; its end is seen at once. */
const UNDECIDED_MS = 3_600_000;

/**
 * Pays what an invite has earned: both rewards and the invite's end commit together, under the keys
 * `invite:<id>:inviter` and `invite:<id>:invitee`. Locks the invite, whose lease token fences, then the accounts in the
 * order of their users' ids: so lanes side by side can't pass the monthly limit, and a refund, which takes the buyer's
 * account, comes before the look at the order or after the reward.
 */
export async function payReward(
  deps: Pick<Deps, 'db' | 'config'>,
  claimed: InviteRow & { orderId: string },
): Promise<RewardOutcome> {
  return deps.db.transaction(async (tx) => {
    const invite = await lockClaimed(tx, claimed);
    if (!invite) return 'lost';
    const at = await lockAccounts(tx, invite);
    const order = await findOrder(tx, claimed.orderId);
    await crashPoint('invite.after-look');
    const standing = order ? orderStanding(order) : 'fallen';
    if (standing === 'undecided') {
      await postponeInvite(tx, { ...claimed, delayMs: UNDECIDED_MS, error: null });
      return 'postponed';
    }
    const share =
      standing === 'stands'
        ? await shareOut(tx, { invite, terms: deps.config.invites, at })
        : nobody('The first order was refunded before the reward was due.');
    const outcome = await endInvite(tx, { invite, orderId: claimed.orderId, share, at });
    await crashPoint('invite.before-commit');
    return outcome;
  });
}

/** @returns the moment, which is after whatever was waited for */
async function lockAccounts(tx: Tx, { inviterId, inviteeId }: InviteRow): Promise<Date> {
  for (const userId of [inviterId, inviteeId].sort()) await lockAccount(tx, userId);
  return readClock(tx);
}

type Share = { inviterCredits: number; inviteeCredits: number; note: string | null };
const nobody = (note: string): Share => ({ inviterCredits: 0, inviteeCredits: 0, note });

/** Who gets how much now, and why somebody gets nothing. Asked under the accounts' locks. */
async function shareOut(
  tx: Tx,
  { invite, terms, at }: { invite: InviteRow; terms: Config['invites']; at: Date },
): Promise<Share> {
  const { inviterId, inviteeId } = invite;
  const { inviterCredits, inviteeCredits, monthlyCap } = terms;
  if (inviterCredits + inviteeCredits === 0) return nobody('Rewards are switched off.');
  const closed = await listClosedAccounts(tx, [inviterId, inviteeId]);
  if (closed.includes(inviteeId)) return nobody('The invited account was closed before the reward was due.');
  const both = { inviterCredits, inviteeCredits, note: null };
  if (inviterCredits === 0) return both;
  const inviteeOnly = (note: string) => ({ ...both, inviterCredits: 0, note });
  if (closed.includes(inviterId)) {
    return inviteeOnly("The inviter's account was closed: only the invited person is paid.");
  }
  if ((await countRewards(tx, { inviterId, at })) >= monthlyCap) {
    return inviteeOnly("The inviter's limit of this month was reached: only the invited person is paid.");
  }
  return both;
}

async function endInvite(
  tx: Tx,
  { invite, orderId, share, at }: { invite: InviteRow; orderId: string; share: Share; at: Date },
): Promise<RewardOutcome> {
  const { inviterCredits, inviteeCredits, note } = share;
  const inviteId = invite.id;
  if (inviterCredits + inviteeCredits === 0) {
    await markRefused(tx, { inviteId, orderId, note: note ?? 'There was nothing to pay.' });
    return 'refused';
  }
  await markRewarded(tx, { inviteId, ...share, rewardedAt: at });
  const sides = [
    { side: 'inviter', userId: invite.inviterId, credits: inviterCredits, reason: 'Invited somebody' },
    { side: 'invitee', userId: invite.inviteeId, credits: inviteeCredits, reason: 'Was invited' },
  ].sort((a, b) => (a.userId < b.userId ? -1 : 1));
  for (const { side, userId, credits, reason } of sides) {
    await postEntry(tx, {
      userId,
      kind: 'reward',
      deltaCredits: credits,
      key: `invite:${inviteId}:${side}`,
      bucket: { kind: 'promotional' },
      actor: 'invite-lane',
      reason,
    });
    if (credits > 0) await tellPerson(tx, { userId, type: 'invite.rewarded', data: { side, credits } });
    await crashPoint('invite.between-rewards');
  }
  return 'rewarded';
}
