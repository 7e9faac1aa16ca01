import type { LookupOutcome } from '#server/providers/provider.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { toArchiving, toFailed, toRunning } from './apply-dispatch.ts';
import type { DispatchRow } from './claim-queries.ts';
import { type OutcomePatch, readDispatchById, recordEvidence } from './dispatch-queries.ts';
import { failTask } from './fail-task.ts';
import { releaseLease } from './lease-queries.ts';
import { UNCERTAIN_POLL_MS } from './poll-schedule.ts';
import { toArchivingFromPoll } from './poll-task.ts';
import { settleTask } from './settle-task.ts';
import { LOST, lookupQuery, openAccess, type Step, type StepResult, same } from './step.ts';
import { decideUncertain } from './transitions.ts';
import { replayPending } from './webhooks/replay-pending.ts';

/**
 * Looks for evidence: the call's own late answer, a webhook or an operator in the dispatch row; a look-up by our
 * reference where the protocol has one; a poll where the id is known. Without any, the policy ends the task at
 * `uncertain_until`: failed, refunded, watched for a late success.
 */
export async function uncertainTask(step: Step): Promise<StepResult> {
  const { claimed, deps } = step;
  const found = await byEvidence(step);
  if (found) return found;
  if (claimed.task.uncertainUntil && claimed.task.uncertainUntil <= deps.clock.now()) {
    return failTask(step, 'uncertain', {
      code: 'unknown_outcome',
      actor: 'policy',
      detail: `uncertain (${claimed.task.uncertainReason}) until the policy's end`,
      watchLate: true,
    });
  }
  const untilPolicyMs = claimed.task.uncertainUntil
    ? Math.max(0, claimed.task.uncertainUntil.getTime() - deps.clock.now().getTime())
    : UNCERTAIN_POLL_MS;
  const nextDelayMs = Math.min(untilGraceMs(step) ?? UNCERTAIN_POLL_MS, untilPolicyMs + 50);
  const kept = await releaseLease(deps.db, { lease: step.lease, nextDelayMs });
  return kept ? same(nextDelayMs) : LOST;
}

async function byEvidence(step: Step): Promise<StepResult | null> {
  const { dispatch, task } = step.claimed;
  if (!dispatch) return null;
  try {
    if (dispatch.outcome === 'accepted' && task.uncertainReason !== 'no_answer')
      return await byPoll(step, dispatch);
    return (await follow(step, dispatch)) ?? (await byLookup(step, dispatch));
  } catch (error) {
    // A row that cannot be looked at still has to end by the policy.
    step.deps.logger.error(
      { taskId: task.id, error: String(error) },
      'Evidence for an uncertain task could not be read',
    );
    return null;
  }
}

async function follow(step: Step, dispatch: DispatchRow): Promise<StepResult | null> {
  switch (decideUncertain(dispatch)) {
    case 'running':
      return toRunning(step, 'uncertain', dispatch);
    case 'archiving':
      return toArchiving(step, 'uncertain', dispatch);
    case 'failed':
      return toFailed(step, 'uncertain', dispatch);
    case null:
      return null;
  }
}

async function byLookup(step: Step, dispatch: DispatchRow): Promise<StepResult | null> {
  const { deps, claimed, signal } = step;
  const { protocol } = claimed.details.snapshot;
  if (dispatch.outcome !== null || !deps.providers.canLookup(protocol)) return null;
  const graceLeftMs = untilGraceMs(step);
  const answer = await deps.providers.lookup(openAccess(step), lookupQuery(claimed.details, dispatch), {
    signal,
  });
  const patch = lookupPatch(answer, { graceOver: graceLeftMs === undefined });
  if (!patch) return null;
  await recordEvidence(deps.db, {
    dispatchId: dispatch.id,
    taskId: claimed.task.id,
    from: 'lookup',
    patch,
  });
  const now = await readDispatchById(deps.db, dispatch.id);
  if (!now) return null;
  await replayPending(deps, now);
  return follow(step, now);
}

/** A job shows up in a listing only after a while: before the vendor's grace is over, absence proves nothing. */
function lookupPatch(answer: LookupOutcome, { graceOver }: { graceOver: boolean }): OutcomePatch | null {
  switch (answer.type) {
    case 'found':
      return { outcome: 'accepted', upstreamId: answer.upstreamId, pollRef: answer.pollRef };
    case 'absent':
      return graceOver
        ? {
            outcome: 'not_sent',
            errorCode: 'absent',
            errorMessage: 'Upstream was asked by our reference and holds no job.',
          }
        : null;
    case 'cannot_tell':
      return null;
  }
}

/** Milliseconds until a look-up may prove absence; undefined when it may already, or when there is no look-up. */
function untilGraceMs({ deps, claimed }: Step): number | undefined {
  const { protocol } = claimed.details.snapshot;
  const sentAt = claimed.dispatch?.sentAt;
  if (!sentAt || claimed.dispatch?.outcome !== null || !deps.providers.canLookup(protocol)) return undefined;
  const leftMs =
    lastSentMs(claimed, sentAt) + deps.providers.traits(protocol).lookupGraceMs - deps.clock.now().getTime();
  return leftMs > 0 ? Math.min(leftMs + 1_000, UNCERTAIN_POLL_MS) : undefined;
}

/**
 * Until when the request may have reached upstream: the end of the call, or, where nobody reported it (a holder that
 * died, or one that lost its lease and still waits for the answer), the call's time limit.
 */
function lastSentMs({ dispatch, details }: Step['claimed'], sentAt: Date): number {
  const { endedAt } = (dispatch?.evidence ?? {}) as { endedAt?: unknown };
  const ended = typeof endedAt === 'string' ? Date.parse(endedAt) : Number.NaN;
  return Number.isNaN(ended) ? sentAt.getTime() + details.snapshot.createTimeoutSeconds * 1000 : ended;
}

/** The id is known, but the job was overdue or missing: only a verdict, or the job's return, changes anything. */
async function byPoll(step: Step, dispatch: DispatchRow): Promise<StepResult | null> {
  const { deps, claimed, signal } = step;
  if (!dispatch.pollRef) return null;
  const outcome = await deps.providers.poll(openAccess(step), dispatch.pollRef, {
    dispatchId: dispatch.id,
    signal,
  });
  await crashPoint('poll.after');
  switch (outcome.type) {
    case 'succeeded':
      return toArchivingFromPoll(step, 'uncertain', outcome);
    case 'failed':
      return failTask(step, 'uncertain', {
        code: outcome.moderated ? 'moderated' : 'upstream_failed',
        upstreamReason: outcome.reason,
        detail: `${outcome.code}: ${outcome.reason}`,
        ended: { usage: outcome.usage },
      });
    case 'cancelled':
      return settleTask(step, {
        from: 'uncertain',
        to: 'cancelled',
        reason: 'Upstream confirmed the cancellation.',
        usage: outcome.usage,
      });
    case 'pending': {
      // Past its deadline it would be overdue anyway, and coming and going must not move the policy's end.
      const { uncertainReason, deadlineAt } = claimed.task;
      const inTime = deadlineAt === null || deadlineAt > deps.clock.now();
      return uncertainReason === 'missing' && inTime ? toRunning(step, 'uncertain', dispatch) : null;
    }
    case 'transient':
    case 'missing':
      return null;
  }
}
