import { retryDelayMs } from '#server/lib/retry-delay.ts';
import { findChannel, pauseChannel, recordChannelResult } from '#server/providers/channels/queries.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { cancelQueued } from './cancel-task.ts';
import { nextCandidate } from './candidates.ts';
import type { DispatchRow } from './claim-queries.ts';
import { closeUnsentDispatch, readDispatchById } from './dispatch-queries.ts';
import { enterUncertain } from './enter-uncertain.ts';
import { failTask, knockRefund } from './fail-task.ts';
import { dbNow, giveUpWithin, inMs } from './lease-queries.ts';
import { moveLeased } from './move-queries.ts';
import { saveArtefacts, saveSnapshot } from './output-queries.ts';
import { CREATE_TRIES, pollDelayMs, REFUSED_WINDOW_MS } from './poll-schedule.ts';
import type { LiveStatus } from './status.ts';
import { LOST, pollPaceOf, resultWindowMs, type Step, type StepResult } from './step.ts';
import { decideDispatching } from './transitions.ts';

/**
 * Moves a `dispatching` task by what its dispatch row proves. The holder who made the call and whoever rescues the row
 * after a crash come through here; neither can reach a create from it.
 */
export async function applyDispatch(step: Step, dispatch: DispatchRow): Promise<StepResult> {
  const further = step.claimed.details.snapshot.further ?? [];
  const decision = decideDispatching(dispatch, { furtherCandidates: further.length > 0 });
  switch (decision.to) {
    case 'running':
      return toRunning(step, 'dispatching', dispatch);
    case 'archiving':
      return toArchiving(step, 'dispatching', dispatch);
    case 'failed':
      return toFailed(step, 'dispatching', dispatch);
    case 'uncertain':
      return enterUncertain(step, 'dispatching', {
        reason: 'no_answer',
        data: {
          dispatch: dispatch.number,
          evidence: dispatch.evidence ?? 'The process that sent it did not report back.',
        },
      });
    case 'queued': {
      if (decision.next === 'candidate') return toNextCandidate(step, dispatch);
      if (
        decision.close &&
        !(await closeUnsentDispatch(step.deps.db, { dispatchId: dispatch.id, from: 'recovery' }))
      ) {
        // Somebody sent it in between: look again with what the row says now.
        const now = await readDispatchById(step.deps.db, dispatch.id);
        return now && now.phase === 'sent' ? applyDispatch(step, now) : LOST;
      }
      return backToQueued(step, decision.close ? { ...dispatch, outcome: 'not_sent' } : dispatch);
    }
  }
}

/** Upstream holds the job: poll it from now on. The deadline counts from here. */
export async function toRunning(step: Step, from: LiveStatus, dispatch: DispatchRow): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  await recordChannelResult(deps.db, claimed.task.channelId, { ok: true });
  // Known from elsewhere than its own answer: the job has been under way for a while.
  const dueInMs =
    dispatch.evidenceFrom === 'call'
      ? pollDelayMs({ pollCount: 0, ...pollPaceOf(step), random: deps.random })
      : 0;
  const row = await deps.db.transaction((tx) =>
    moveLeased(tx, {
      lease,
      from,
      to: 'running',
      set: {
        acceptedAt: claimed.task.acceptedAt ?? (dispatch.outcomeAt as Date | null) ?? (dbNow as never),
        // A job that comes back keeps its first deadline, else a flickering one would never end.
        deadlineAt:
          claimed.task.deadlineAt ?? (inMs(claimed.details.snapshot.deadlineSeconds * 1000) as never),
        sentAt: dispatch.sentAt,
        errorCount: 0,
        missingCount: 0,
        uncertainReason: null,
        uncertainUntil: null,
      },
      nextDelayMs: dueInMs,
      event: {
        type: 'accepted',
        actor: dispatch.evidenceFrom === 'operator' ? 'operator' : 'executor',
        reason:
          from === 'uncertain'
            ? `Upstream holds the job (known by ${dispatch.evidenceFrom ?? 'call'}).`
            : undefined,
        data: { upstreamId: dispatch.upstreamId },
      },
    }),
  );
  await crashPoint('dispatch.after-transition');
  return row ? { to: 'running', dueInMs } : LOST;
}

/** Upstream answered with the result itself. */
export async function toArchiving(step: Step, from: LiveStatus, dispatch: DispatchRow): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  await recordChannelResult(deps.db, claimed.task.channelId, { ok: true });
  const row = await deps.db.transaction(async (tx) => {
    const moved = await moveLeased(tx, {
      lease,
      from,
      to: 'archiving',
      set: {
        acceptedAt: claimed.task.acceptedAt ?? dispatch.outcomeAt,
        sentAt: dispatch.sentAt,
        archiveUntil: inMs(resultWindowMs(step, dispatch.artefacts ?? [])) as never,
        archiveTries: 0,
        errorCount: 0,
      },
      event: { type: 'delivered', actor: 'executor', data: { artefacts: dispatch.artefacts?.length ?? 0 } },
    });
    if (!moved) return undefined;
    await saveArtefacts(tx, lease.taskId, {
      artefacts: dispatch.artefacts ?? [],
      reportedUnits: dispatch.reportedUnits,
      rawResult: dispatch.rawResult,
    });
    return moved;
  });
  await crashPoint('dispatch.after-transition');
  return row ? { to: 'archiving', dueInMs: 0 } : LOST;
}

/** Upstream refused, or an operator knows that it holds nothing. */
export async function toFailed(step: Step, from: LiveStatus, dispatch: DispatchRow): Promise<StepResult> {
  const code =
    dispatch.outcome === 'failed'
      ? 'resolved_by_operator'
      : dispatch.outcome !== 'rejected'
        ? 'cannot_run'
        : dispatch.errorCode === 'moderated'
          ? 'moderated'
          : 'rejected';
  const result = await failTask(step, from, {
    code,
    upstreamReason: dispatch.outcome === 'rejected' ? (dispatch.errorMessage ?? undefined) : undefined,
    detail: [dispatch.errorCode, dispatch.errorMessage].filter(Boolean).join(': '),
  });
  await crashPoint('dispatch.after-transition');
  return result;
}

/**
 * The account refused, and said so: nothing was started. The next account is asked with the same hold and a new
 * dispatch; this is never done after an unknown outcome, nor when the request itself was refused.
 */
async function toNextCandidate(step: Step, dispatch: DispatchRow): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  const next = await nextOpen(step);
  if (!next) return toFailed(step, 'dispatching', dispatch);
  await recordChannelResult(deps.db, claimed.task.channelId, { errorClass: 'refused' });
  const end = await deps.db.transaction(async (tx): Promise<StepResult> => {
    const row = await moveLeased(tx, {
      lease,
      from: 'dispatching',
      to: 'queued',
      set: { channelId: next.channelId, lastErrorClass: 'refused', lastErrorAt: dbNow as never },
      event: {
        type: 'requeued',
        actor: 'executor',
        reason: 'The provider’s account did not take it; the next one is asked.',
        data: { dispatch: dispatch.number, from: claimed.task.channelId, to: next.channelId },
      },
    });
    if (!row) return LOST;
    await saveSnapshot(tx, lease.taskId, next.snapshot);
    if (row.cancelRequestedAt === null) return { to: 'queued', dueInMs: 0 };
    await cancelQueued(tx, { taskId: lease.taskId, actor: 'executor' });
    return { to: 'cancelled' };
  });
  await crashPoint('dispatch.after-transition');
  if (end.to === 'cancelled') await knockRefund(deps, lease.taskId);
  return end;
}

/** The next account that is not switched off: a task must not wait for one that takes nothing any more. */
async function nextOpen({ deps, claimed }: Step): Promise<ReturnType<typeof nextCandidate>> {
  let next = nextCandidate(claimed.details.snapshot);
  while (next && !(await findChannel(deps.db, next.channelId))?.enabled) next = nextCandidate(next.snapshot);
  return next;
}

/** Proven not to have started: the same hold, a new dispatch later, within bounds. */
async function backToQueued(step: Step, dispatch: DispatchRow): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  const limited = dispatch.outcome === 'rate_limited';
  const tries = dispatch.number;
  const delayMs = retryDelayMs({
    failures: tries,
    retryAfterMs: dispatch.retryAfterMs ?? undefined,
    pace: deps.config,
    random: deps.random,
  });
  if (limited) await pauseChannel(deps.db, claimed.task.channelId, delayMs);
  else if (dispatch.evidenceFrom === 'call' && dispatch.errorCode !== 'prepare') {
    await recordChannelResult(deps.db, claimed.task.channelId, {
      errorClass: dispatch.errorCode ?? 'not_sent',
    });
  }
  const end = await deps.db.transaction(async (tx): Promise<StepResult> => {
    const row = await moveLeased(tx, {
      lease,
      from: 'dispatching',
      to: 'queued',
      set: {
        giveUpAt: giveUpWithin(REFUSED_WINDOW_MS) as never,
        // `internal`: it was our own preparation, not upstream.
        lastErrorClass: limited ? 'rate_limited' : dispatch.errorCode === 'prepare' ? 'internal' : 'not_sent',
        lastErrorAt: dbNow as never,
      },
      nextDelayMs: tries >= CREATE_TRIES ? 0 : delayMs,
      event: {
        type: 'requeued',
        actor: 'executor',
        reason: limited ? 'Upstream takes no new work right now.' : 'The request did not reach upstream.',
        data: { dispatch: dispatch.number, retryInMs: delayMs },
      },
    });
    if (!row) return LOST;
    if (row.cancelRequestedAt === null) return { to: 'queued', dueInMs: delayMs };
    // Nothing is upstream and nothing more is wanted: it need not wait until its channel takes work again.
    await cancelQueued(tx, { taskId: lease.taskId, actor: 'executor' });
    return { to: 'cancelled' };
  });
  await crashPoint('dispatch.after-transition');
  if (end.to === 'cancelled') await knockRefund(deps, lease.taskId);
  return end;
}
