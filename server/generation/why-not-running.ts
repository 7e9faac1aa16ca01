import type { TaskRow } from './claim-queries.ts';
import type { Blockers } from './queries.ts';
import { because, type WaitingReason } from './waiting-sentences.ts';

type WhyOptions = {
  now: Date;
  /** Whether upstream can be asked for a job by our reference. */
  isLookedUp: boolean;
};

/**
 * Why a live task is not further, from the predicates of the claim; null for a finished one.
 * `now` is the moment of reading.
 */
export function whyNotRunning(
  task: TaskRow,
  blockers: Blockers | undefined,
  options: WhyOptions,
): WaitingReason | null {
  switch (task.status) {
    case 'queued':
      return whyQueued(task, blockers, options);
    case 'dispatching':
      return because('sending');
    case 'running':
      return whyRunning(task, blockers, options.now);
    case 'uncertain':
      return whyUncertain(task, options);
    case 'archiving':
      return because(task.lastErrorClass === 'storage' ? 'storage_fault' : 'fetching');
    case 'waiting':
      return because('another_step');
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return null;
  }
}

function whyQueued(task: TaskRow, blockers: Blockers | undefined, options: { now: Date }): WaitingReason {
  if (task.cancelRequestedAt) return because('cancelling');
  if (blockers && !blockers.channelEnabled) return because('channel_off');
  if (blockers?.channelPausedUntil || blockers?.createsFrom) return because('channel_paused');
  if (blockers?.channelFull) return because('channel_full');
  if (blockers?.userCap === 0) return because('starts_nothing');
  if (blockers && blockers.userInFlight >= blockers.userCap) {
    return because('user_at_cap', { count: blockers.userInFlight });
  }
  if (task.nextPollAt && task.nextPollAt > options.now && task.lastErrorClass) {
    if (task.lastErrorClass === 'internal') return because('fault_here');
    return because(task.lastErrorClass === 'rate_limited' ? 'asked_to_wait' : 'not_reached');
  }
  return because('next_in_line');
}

function whyRunning(task: TaskRow, blockers: Blockers | undefined, now: Date): WaitingReason {
  if (task.cancelRequestedAt) {
    return because(task.cancelAnswer === 'unsupported' ? 'cannot_cancel' : 'cancel_asked');
  }
  if (blockers?.channelPausedUntil) return because('slowed_down');
  if (task.lastErrorClass === 'unauthorized') return because('key_refused');
  if (task.lastErrorClass) return because('no_answer_now');
  if (task.deadlineAt && task.deadlineAt < now) return because('longer_than_usual');
  return because('at_work');
}

function whyUncertain(task: TaskRow, options: WhyOptions): WaitingReason {
  if (task.uncertainReason === 'overdue' || task.uncertainReason === 'missing')
    return because(task.uncertainReason);
  return because(options.isLookedUp ? 'no_answer_looked_up' : 'no_answer');
}
