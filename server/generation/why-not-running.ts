import type { TaskRow } from './claim-queries.ts';
import type { Blockers } from './queries.ts';

type WhyOptions = {
  now: Date;
  userInFlightCap: number;
  /** Whether upstream can be asked for a job by our reference. */
  isLookedUp: boolean;
};

/**
 * Why a live task is not further, in plain words, from the predicates of the claim; null for a finished one.
 * `now` is the moment of reading.
 */
export function whyNotRunning(
  task: TaskRow,
  blockers: Blockers | undefined,
  options: WhyOptions,
): string | null {
  switch (task.status) {
    case 'queued':
      return whyQueued(task, blockers, options);
    case 'dispatching':
      return 'Being sent to the provider.';
    case 'running':
      return whyRunning(task, blockers, options.now);
    case 'uncertain':
      return whyUncertain(task, options);
    case 'archiving':
      return task.lastErrorClass === 'storage'
        ? 'The result is ready at the provider, but our storage does not take it right now. It is tried again.'
        : 'The result is being fetched into your library.';
    case 'waiting':
      return 'Waiting for another step.';
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return null;
  }
}

function whyQueued(
  task: TaskRow,
  blockers: Blockers | undefined,
  options: { now: Date; userInFlightCap: number },
): string {
  if (task.cancelRequestedAt) return 'It is being cancelled.';
  if (blockers && !blockers.channelEnabled) {
    return 'The provider of this model is switched off. It starts when an administrator switches it on, or is refunded.';
  }
  if (blockers?.channelPausedUntil || blockers?.createsFrom)
    return 'The provider takes no new work right now; it is tried again shortly.';
  if (blockers?.channelFull) return 'The provider is at its limit; it starts when another task ends.';
  if (blockers && blockers.userInFlight >= options.userInFlightCap) {
    return `You have ${blockers.userInFlight} generations under way, the most at once; it starts when one ends.`;
  }
  if (task.nextPollAt && task.nextPollAt > options.now && task.lastErrorClass) {
    if (task.lastErrorClass === 'internal') {
      return 'It could not be sent because of a fault on our side; it is tried again shortly.';
    }
    return task.lastErrorClass === 'rate_limited'
      ? 'The provider asked us to wait; it is tried again shortly.'
      : 'The provider could not be reached; it is tried again shortly.';
  }
  return 'Next in line.';
}

function whyRunning(task: TaskRow, blockers: Blockers | undefined, now: Date): string {
  if (task.cancelRequestedAt) {
    return task.cancelAnswer === 'unsupported'
      ? 'The provider cannot cancel this; it goes on to its end.'
      : 'The provider was asked to cancel; its answer decides.';
  }
  if (blockers?.channelPausedUntil)
    return 'The provider asked us to slow down; the result is looked for again shortly.';
  if (task.lastErrorClass === 'unauthorized')
    return 'The provider refuses our key right now. An administrator has been told.';
  if (task.lastErrorClass) return 'The provider does not answer right now; it is asked again.';
  if (task.deadlineAt && task.deadlineAt < now) return 'It takes longer than usual.';
  return 'The provider is working on it.';
}

function whyUncertain(task: TaskRow, options: WhyOptions): string {
  const end = 'If nothing is known by the time shown, it fails and you get your credits back.';
  switch (task.uncertainReason) {
    case 'overdue':
      return `The provider is past the time allowed and has given no result. We keep asking. ${end}`;
    case 'missing':
      return `The provider does not know this job any more. We keep asking. ${end}`;
    case 'no_answer':
    case null: {
      const search = options.isLookedUp ? 'We keep looking for it at the provider. ' : '';
      return `We sent this once and got no clear answer, so we do not know whether the provider is working on it. Nothing is sent again. ${search}An administrator can find out. ${end}`;
    }
  }
}
