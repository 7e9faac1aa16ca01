import type { Status } from './status.ts';

/**
 * The transition table: every pair that is not here is refused by code, and for terminal rows by a trigger
 * too. A row that was sent has no way back to `queued` but an answer that proves that upstream holds no job.
 */
export const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  queued: ['dispatching', 'cancelled', 'failed'],
  dispatching: ['running', 'archiving', 'queued', 'failed', 'uncertain'],
  running: ['archiving', 'failed', 'cancelled', 'uncertain'],
  uncertain: ['running', 'archiving', 'failed', 'cancelled'],
  archiving: ['succeeded', 'failed', 'cancelled'],
  waiting: ['archiving', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
};

export function canMove(from: Status, to: Status): boolean {
  return TRANSITIONS[from].includes(to);
}

/** The statuses from which `to` may be reached. */
export function sourcesOf(to: Status): Status[] {
  return (Object.keys(TRANSITIONS) as Status[]).filter((from) => canMove(from, to));
}

/** What a create call's end, as its dispatch row records it, means for the task. */
export type DispatchFacts = {
  phase: 'intent' | 'sent';
  outcome: 'accepted' | 'done' | 'rejected' | 'rate_limited' | 'not_sent' | 'failed' | null;
  /** Of a refusal: whether it was about the account or about the request. */
  rejectionScope?: 'account' | 'request' | null;
};

export type DispatchDecision =
  /** Refused for its account's sake: no work was started, so the next account may be asked. */
  | { to: 'queued'; close: null; next: 'candidate' }
  /** Never sent and nobody may send it any more once the row is closed: close it, then queue again. */
  | { to: 'queued'; close: 'not_sent' | null; next: 'same' }
  | { to: 'running' }
  | { to: 'archiving' }
  | { to: 'failed' }
  | { to: 'uncertain' };

/**
 * What the next holder of a `dispatching` row does. There is no answer that creates: for a row that was sent the only
 * ways on are evidence or `uncertain`.
 */
export function decideDispatching(
  facts: DispatchFacts,
  has: { furtherCandidates: boolean },
): DispatchDecision {
  switch (facts.outcome) {
    case 'accepted':
      return { to: 'running' };
    case 'done':
      return { to: 'archiving' };
    case 'rejected':
      return facts.rejectionScope === 'account' && has.furtherCandidates
        ? { to: 'queued', close: null, next: 'candidate' }
        : { to: 'failed' };
    case 'failed':
      return { to: 'failed' };
    case 'rate_limited':
    case 'not_sent':
      return { to: 'queued', close: null, next: 'same' };
    case null:
      return facts.phase === 'intent'
        ? { to: 'queued', close: 'not_sent', next: 'same' }
        : { to: 'uncertain' };
  }
}

/** What evidence does to an `uncertain` row whose create was never answered; null when there is none yet. */
export function decideUncertain(facts: DispatchFacts): 'running' | 'archiving' | 'failed' | null {
  switch (facts.outcome) {
    case 'accepted':
      return 'running';
    case 'done':
      return 'archiving';
    case 'rejected':
    case 'rate_limited':
    case 'not_sent':
    case 'failed':
      return 'failed';
    case null:
      return null;
  }
}
