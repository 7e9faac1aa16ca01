/** Kinds, statuses and their predicates: the one place that lists them. Isomorphic: no server import. */
export const KINDS = ['image', 'video', 'audio', 'text'] as const;
export type Kind = (typeof KINDS)[number];

export const STATUSES = [
  'queued',
  'dispatching',
  'running',
  'uncertain',
  'archiving',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export type Status = (typeof STATUSES)[number];

export const TERMINAL_STATUSES = ['succeeded', 'failed', 'cancelled'] as const satisfies readonly Status[];
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];
export type LiveStatus = Exclude<Status, TerminalStatus>;

export const LIVE_STATUSES = STATUSES.filter((status) => !isTerminal(status)) as LiveStatus[];

export function isTerminal(status: Status): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly Status[]).includes(status);
}

/** Slot classes of the executor; a claim goes only into free slots of the row's class. */
const SLOT_CLASSES = ['poll', 'create', 'transfer', 'compose'] as const;
export type SlotClass = (typeof SLOT_CLASSES)[number];

/** Which class of slot the next step of a row needs. */
export function slotClassOf(status: LiveStatus): SlotClass {
  if (status === 'queued') return 'create';
  if (status === 'archiving') return 'transfer';
  return 'poll';
}

/** Why a task is `uncertain`: the reason decides what evidence may end it. */
const UNCERTAIN_REASONS = ['no_answer', 'overdue', 'missing'] as const;
export type UncertainReason = (typeof UNCERTAIN_REASONS)[number];

/** How a create call ended. `null` in the row means: not known (yet). */
const DISPATCH_OUTCOMES = ['accepted', 'done', 'rejected', 'rate_limited', 'not_sent', 'failed'] as const;
export type DispatchOutcome = (typeof DISPATCH_OUTCOMES)[number];

/** Outcomes that prove that upstream holds no job: only after these may another dispatch be opened. */
export const VOID_OUTCOMES = [
  'not_sent',
  'rate_limited',
  'rejected',
] as const satisfies readonly DispatchOutcome[];

/** Codes of a failed task, shown to the user with a sentence of their own each. */
const FAILURE_CODES = [
  'rejected',
  'moderated',
  'upstream_failed',
  'no_artifact',
  'artifact_expired',
  'artifact_invalid',
  'storage',
  'cannot_run',
  'gave_up',
  'unknown_outcome',
  'resolved_by_operator',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];
