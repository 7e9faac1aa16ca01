/** Kinds, statuses and their predicates: the one place that lists them. Isomorphic: no server import. */
export const KINDS = ['image', 'video', 'audio', 'text'] as const;
export type Kind = (typeof KINDS)[number];

/** Tasks made of others: their steps look at children, and every paid call is a child of one of the kinds above. */
export const COMPOSITE_KINDS = ['agent', 'drama'] as const;
export type CompositeKind = (typeof COMPOSITE_KINDS)[number];

export const TASK_KINDS = [...KINDS, ...COMPOSITE_KINDS] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export function isComposite(kind: TaskKind): kind is CompositeKind {
  return (COMPOSITE_KINDS as readonly TaskKind[]).includes(kind);
}

/** The kind of a task that is sent upstream itself. @throws Error for a composite, which never is */
export function leafKind(kind: TaskKind): Kind {
  if (isComposite(kind)) throw new Error(`A task of the kind ${kind} is never sent upstream itself`);
  return kind;
}

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
export function slotClassOf({ status, kind }: { status: LiveStatus; kind: TaskKind }): SlotClass {
  if (status === 'queued') return 'create';
  if (status === 'archiving') return isComposite(kind) ? 'compose' : 'transfer';
  return 'poll';
}

/** What a `waiting` composite waits for. */
const WAITING_FOR = ['children', 'user', 'resume'] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];

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
  // Of composites.
  'budget_spent',
  'step_failed',
  'steps_used_up',
  'no_composer',
  'composition_failed',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** What a reference file may be for, by its place: the last role counts for all further files. */
export const REFERENCE_ROLES = ['reference', 'first_frame', 'last_frame'] as const;
export type ReferenceRole = (typeof REFERENCE_ROLES)[number];

/** What a list of tasks may be narrowed to. */
export const LIST_STATES = ['active', 'succeeded', 'failed', 'cancelled'] as const;
