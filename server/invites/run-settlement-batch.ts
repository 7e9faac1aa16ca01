import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { retryDelayMs } from '#server/lib/retry-delay.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { payReward } from './pay-reward.ts';
import type { InviteRow } from './queries.ts';
import { type OrderOutcome, settleOrder } from './settle-order.ts';
import { claimDueInvites, listDueOrders, nextInviteDueAt, postponeInvite } from './settlement-queries.ts';

export type InviteBatchResult = {
  /** Orders looked at and invites claimed; at most the limit of each. */
  claimed: number;
  qualified: number;
  rewarded: number;
  refused: number;
  clawedBack: number;
  /** Put off: a failure, or an order whose refund is not decided. */
  retried: number;
  nextDueAt: Date | null;
};

type InviteDeps = Pick<Deps, 'db' | 'config' | 'logger' | 'random' | 'newId'>;

/**
 * First looks at orders that changed, then pays rewards that are due. Each row has its own transaction, is paid or taken
 * back exactly once, and stops no other when it fails.
 */
export async function runSettlementBatch(
  deps: InviteDeps,
  input: { limit: number; workerId: string | null },
): Promise<InviteBatchResult> {
  const result: InviteBatchResult = {
    claimed: 0,
    qualified: 0,
    rewarded: 0,
    refused: 0,
    clawedBack: 0,
    retried: 0,
    nextDueAt: null,
  };
  const failedOrderIds = await settleOrders(deps, input.limit, result);
  await payRewards(deps, input.limit, result);
  const retryMs = retryDelayMs({ failures: 1, pace: deps.config, random: deps.random });
  result.nextDueAt = await nextInviteDueAt(deps.db, { failedOrderIds, retryMs });
  return result;
}

/** Walks on past orders that fail or that another lane has, so that no number of them is in the way of the rest. */
async function settleOrders(deps: InviteDeps, limit: number, result: InviteBatchResult): Promise<string[]> {
  const failed: string[] = [];
  let left = limit;
  let after: string | undefined;
  while (left > 0) {
    const orderIds = await listDueOrders(deps.db, { after, limit: left });
    if (orderIds.length === 0) break;
    after = orderIds.at(-1);
    for (const orderId of orderIds) {
      const outcome = await tryOrder(deps, orderId);
      if (outcome === undefined) continue;
      result.claimed += 1;
      if (outcome === 'failed') {
        result.retried += 1;
        failed.push(orderId);
        continue;
      }
      left -= 1;
      if (outcome !== 'nothing') result[outcome] += 1;
    }
  }
  return failed;
}

async function tryOrder(deps: InviteDeps, orderId: string): Promise<OrderOutcome | 'failed' | undefined> {
  try {
    return await settleOrder(deps, orderId);
  } catch (error) {
    deps.logger.warn({ orderId, error: describeError(error) }, 'An order could not be applied to its invite');
    return 'failed';
  }
}

async function payRewards(deps: InviteDeps, limit: number, result: InviteBatchResult): Promise<void> {
  const claimed = await claimDueInvites(deps.db, {
    limit,
    leaseSeconds: deps.config.leaseSeconds,
    executorId: deps.newId(),
  });
  await crashPoint('invite.after-claim');
  result.claimed += claimed.length;
  for (const invite of claimed) result[await tryReward(deps, invite)] += 1;
}

async function tryReward(deps: InviteDeps, invite: InviteRow): Promise<'rewarded' | 'refused' | 'retried'> {
  try {
    const { orderId } = invite;
    if (orderId === null) throw new Error(`Invite ${invite.id} qualified without an order`);
    const outcome = await payReward(deps, { ...invite, orderId });
    await crashPoint('invite.after-commit');
    return outcome === 'rewarded' || outcome === 'refused' ? outcome : 'retried';
  } catch (error) {
    await putOff(deps, invite, error);
    return 'retried';
  }
}

async function putOff(deps: InviteDeps, invite: InviteRow, error: unknown): Promise<void> {
  const { id, leaseToken } = invite;
  const failures = invite.attempts + 1;
  const message = describeError(error).message.slice(0, 500);
  deps.logger.warn({ inviteId: id, attempts: failures, error: message }, 'Invite rewards put off');
  try {
    const delayMs = retryDelayMs({ failures, pace: deps.config, random: deps.random });
    await postponeInvite(deps.db, { id, leaseToken, delayMs, error: message });
  } catch (postponeError) {
    // The lease runs out by itself and the row is claimed again.
    deps.logger.warn(
      { inviteId: id, error: describeError(postponeError) },
      'Invite rewards could not be put off',
    );
  }
}
