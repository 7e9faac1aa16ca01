import { redactText, redactValue } from '#server/lib/redact.ts';
import { retryDelayMs } from '#server/lib/retry-delay.ts';
import { pauseChannel, recordChannelResult } from '#server/providers/channels/queries.ts';
import type { PollOutcome, PollRef } from '#server/providers/provider.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { saveUsage } from './cost/queries.ts';
import { enterUncertain } from './enter-uncertain.ts';
import { failTask } from './fail-task.ts';
import { dbNow, inMs, plusOne, releaseLease, saveCancelAnswer } from './lease-queries.ts';
import { moveLeased } from './move-queries.ts';
import { saveArtefacts } from './output-queries.ts';
import { judgeMissing, judgeOverdue, nextProgress, pollDelayMs } from './poll-schedule.ts';
import { reportedUnits } from './reported-units.ts';
import { settleTask } from './settle-task.ts';
import type { LiveStatus } from './status.ts';
import { LOST, openAccess, pollPaceOf, resultWindowMs, type Step, type StepResult, same } from './step.ts';

/** However long upstream asks us to wait: a job that ends meanwhile keeps its result for an hour only, at some vendors. */
const MAX_POLL_WAIT_MS = 900_000;

/** One poll of a running job, preceded by the cancel request that a user may have made. */
export async function pollTask(claimedStep: Step): Promise<StepResult> {
  const { claimed } = claimedStep;
  const ref = claimed.dispatch?.pollRef;
  if (!claimed.dispatch || !ref) throw new Error('A running task has no poll reference');
  const step = await askToCancel(claimedStep, ref);
  await crashPoint('poll.before');
  const outcome = await step.deps.providers.poll(openAccess(step), ref, {
    dispatchId: claimed.dispatch.id,
    signal: step.signal,
  });
  await crashPoint('poll.after');
  const result = await applyPoll(step, outcome);
  await crashPoint('poll.after-transition');
  return result;
}

async function applyPoll(step: Step, outcome: PollOutcome): Promise<StepResult> {
  switch (outcome.type) {
    case 'pending':
      return keepRunning(step, outcome);
    case 'succeeded':
      return toArchivingFromPoll(step, 'running', outcome);
    case 'failed':
      return failTask(step, 'running', {
        code: outcome.moderated ? 'moderated' : 'upstream_failed',
        upstreamReason: outcome.reason,
        detail: `${outcome.code}: ${outcome.reason}`,
        ended: { usage: outcome.usage },
      });
    case 'cancelled':
      return settleTask(step, {
        from: 'running',
        to: 'cancelled',
        reason: 'Upstream confirmed the cancellation.',
        usage: outcome.usage,
      });
    case 'transient':
      return bearTransient(step, outcome);
    case 'missing':
      return bearMissing(step, outcome);
  }
}

async function keepRunning(
  step: Step,
  outcome: Extract<PollOutcome, { type: 'pending' }>,
): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  const { task } = claimed;
  if (judgeOverdue({ pastDeadlineMs: pastDeadlineMs(step), answered: true, failures: 0 })) {
    return enterUncertain(step, 'running', { reason: 'overdue', data: { upstreamStatus: outcome.status } });
  }
  if (!outcome.known && task.upstreamStatus !== outcome.status) {
    deps.logger.warn(
      { taskId: task.id, status: outcome.status },
      'Upstream used an unknown status word; kept as running',
    );
  }
  // A fault that is over: else single faults among thousands of good polls would add up to a cool-down.
  if (task.errorCount > 0) await recordChannelResult(deps.db, task.channelId, { ok: true });
  const pace = pollPaceOf(step);
  const nextDelayMs = Math.min(
    pollDelayMs({
      pollCount: task.pollCount + 1,
      retryAfterMs: outcome.retryAfterMs,
      ...pace,
      random: deps.random,
    }),
    // The deadline is judged by a poll: none later than it.
    Math.max(pace.pace.pollFirstMs, pace.leastMs, -pastDeadlineMs(step)),
  );
  const kept = await step.savePoll({
    lease,
    nextDelayMs,
    progress: nextProgress(task.progress, outcome.progress),
    upstreamStatus: outcome.status.slice(0, 100),
  });
  return kept ? same(nextDelayMs) : LOST;
}

/** Success upstream: what is to be fetched is saved with the transition, because some answers can be read only once. */
export async function toArchivingFromPoll(
  step: Step,
  from: LiveStatus,
  outcome: Extract<PollOutcome, { type: 'succeeded' }>,
): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  await recordChannelResult(deps.db, claimed.task.channelId, { ok: true });
  const row = await deps.db.transaction(async (tx) => {
    const moved = await moveLeased(tx, {
      lease,
      from,
      to: 'archiving',
      set: {
        archiveUntil: inMs(resultWindowMs(step, outcome.artefacts)) as never,
        archiveTries: 0,
        errorCount: 0,
        progress: 99,
        upstreamStatus: outcome.status.slice(0, 100),
        lastPolledAt: dbNow as never,
      },
      event: { type: 'delivered', actor: 'executor', data: { artefacts: outcome.artefacts.length } },
    });
    if (!moved) return undefined;
    await saveArtefacts(tx, lease.taskId, {
      artefacts: outcome.artefacts,
      reportedUnits: reportedUnits(outcome.usage, claimed.details.snapshot.price),
      rawResult: redactValue(outcome.raw ?? null),
    });
    if (outcome.usage && claimed.dispatch) await saveUsage(tx, claimed.dispatch.id, outcome.usage);
    return moved;
  });
  return row ? { to: 'archiving', dueInMs: 0 } : LOST;
}

async function bearTransient(
  step: Step,
  outcome: Extract<PollOutcome, { type: 'transient' }>,
): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  const { task } = claimed;
  const failures = task.errorCount + 1;
  const delayMs = retryDelayMs({
    failures,
    retryAfterMs: outcome.retryAfterMs && Math.min(outcome.retryAfterMs, MAX_POLL_WAIT_MS),
    pace: deps.config,
    random: deps.random,
  });
  if (outcome.errorClass === 'aborted') {
    // Our own stop, not upstream's fault: due again at once for whoever is there.
    return (await releaseLease(deps.db, { lease, nextDelayMs: 0 })) ? same(0) : LOST;
  }
  if (outcome.errorClass === 'rate_limited')
    await pauseChannel(deps.db, task.channelId, outcome.retryAfterMs ?? delayMs);
  else await recordChannelResult(deps.db, task.channelId, { errorClass: outcome.errorClass });
  if (outcome.errorClass === 'unauthorized') {
    deps.logger.error(
      { taskId: task.id, channelId: task.channelId },
      'Upstream refuses the channel’s key; the task waits',
    );
  }
  if (judgeOverdue({ pastDeadlineMs: pastDeadlineMs(step), answered: false, failures })) {
    return enterUncertain(step, 'running', { reason: 'overdue', data: { error: outcome.errorClass } });
  }
  const kept = await releaseLease(deps.db, {
    lease,
    nextDelayMs: delayMs,
    set: {
      errorCount: plusOne('errorCount') as never,
      missingCount: 0,
      lastErrorClass: outcome.errorClass,
      lastErrorAt: dbNow as never,
      pollCount: plusOne('pollCount') as never,
    },
  });
  return kept ? same(delayMs) : LOST;
}

async function bearMissing(
  step: Step,
  outcome: Extract<PollOutcome, { type: 'missing' }>,
): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  const { task } = claimed;
  const strikes = task.missingCount + 1;
  const sinceAcceptedMs = task.acceptedAt ? deps.clock.now().getTime() - task.acceptedAt.getTime() : 0;
  if (judgeMissing({ strikes, sinceAcceptedMs }) === 'missing') {
    if (task.cancelAnswer === 'requested') {
      // Some vendors remove a job when they cancel it: they took our cancel, and now there is no job.
      return settleTask(step, {
        from: 'running',
        to: 'cancelled',
        reason: 'Upstream took the cancellation and holds the job no more.',
      });
    }
    return enterUncertain(step, 'running', {
      reason: 'missing',
      data: { strikes, upstream: redactText(outcome.message).slice(0, 300) },
    });
  }
  const delayMs = retryDelayMs({ failures: strikes, pace: deps.config, random: deps.random });
  const kept = await releaseLease(deps.db, {
    lease,
    nextDelayMs: delayMs,
    set: {
      missingCount: plusOne('missingCount') as never,
      pollCount: plusOne('pollCount') as never,
      lastErrorClass: 'missing',
      lastErrorAt: dbNow as never,
      lastPolledAt: dbNow as never,
    },
  });
  return kept ? same(delayMs) : LOST;
}

/** Milliseconds by which the deadline has passed; negative while there is time. */
function pastDeadlineMs(step: Step): number {
  const { deadlineAt } = step.claimed.task;
  return deadlineAt ? step.deps.clock.now().getTime() - deadlineAt.getTime() : Number.NEGATIVE_INFINITY;
}

/**
 * Passes a user's cancel on to upstream, once; only upstream's verdict ends the task. The step as it is from then on: the
 * answer counts for the poll that follows at once.
 */
async function askToCancel(step: Step, ref: PollRef): Promise<Step> {
  const { deps, claimed, lease } = step;
  const { task, details } = claimed;
  if (!task.cancelRequestedAt || (task.cancelAnswer && task.cancelAnswer !== 'unknown')) return step;
  const access = openAccess(step);
  const said = deps.providers.canCancel(access.protocol, details.snapshot.endpoint)
    ? await deps.providers.cancel(access, ref, {
        dispatchId: claimed.dispatch?.id ?? task.id,
        signal: step.signal,
      })
    : 'unsupported';
  const answer = said === 'already_terminal' ? 'finished' : said;
  // Asked again at every poll until upstream says something; said once.
  if (answer === task.cancelAnswer) return step;
  await saveCancelAnswer(deps.db, { lease, answer });
  return { ...step, claimed: { ...claimed, task: { ...task, cancelAnswer: answer } } };
}
