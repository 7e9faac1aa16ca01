import type { FailureCode, WaitingFor } from '../status.ts';
import type { Step } from '../step.ts';
import type { ChildRow, CompositeRow, StepRow } from './queries.ts';

/** A leased composite on its way through one step, with everything its kind decides by, as it was read under the lease. */
export type CompositeStep = Step & {
  composite: CompositeRow;
  /** In the order in which they were recorded. */
  steps: readonly StepRow[];
  /** Children by task id, taken-over ones of an earlier revision too. */
  children: ReadonlyMap<string, ChildRow>;
};

/** What a kind's step decided. Everything that it wants to last is recorded before it says so. */
export type CompositeAction =
  /** Something was recorded: look again at once. */
  | { type: 'again'; progress?: number }
  /** `dueInMs`: looks again then though nothing happened. */
  | { type: 'wait'; for: Exclude<WaitingFor, 'resume'>; dueInMs?: number; progress?: number }
  /** All parts are there: the rest is work of our own machine. */
  | { type: 'compose' }
  /** Over, as soon as every child has ended and is settled; until then it waits for them. */
  | { type: 'end'; to: 'succeeded' | 'cancelled'; reason?: string }
  | { type: 'end'; to: 'failed'; code: FailureCode; detail?: string };

/** A kind of composite. Its step is run again and again: after each child's end, each word of the user, each crash. */
export type CompositeKindSteps = {
  advance(step: CompositeStep): Promise<CompositeAction>;
  /** The user has stopped it, or its time is up: what it ends with. Called when no child is under way any more. */
  finish(step: CompositeStep): Promise<CompositeAction>;
};
