import type { StepRow } from '../composite/queries.ts';
import type { StepStatus } from '../composite/schemas.ts';
import type { ToolCall } from '../conversation/schemas.ts';
import type { AgentMakes } from './schemas.ts';

/** The steps of an agent, as they are kept: what each kind of step has for input and result. */

/** What a make step orders, once its arguments were checked. `images`: ids of outputs of this run, or of its references. */
export type MakeOrder = {
  model: string;
  prompt: string;
  params: Record<string, unknown>;
  images: string[];
};

/** Why a call was refused; `malformed` ones make a turn that brought nothing. */
export type RefusalReason = 'malformed' | 'repeat' | 'no_steps' | 'too_many';

type TurnInput = { number: number; attempt: number };
export type TurnResult =
  /** `problem`: why nothing of the answer could be used, as the model is told. */
  | { text: string; calls: ToolCall[]; problem?: string }
  /** `retry`: whether the same turn may be tried once more. */
  | { failure: 'over_budget' | 'failed'; message: string; retry: boolean };

/** `hash` names tool and arguments, so that the same call is known again. */
type CallInput = { turn: number; index: number; tool: string; hash: string };
type MakeInput = CallInput & {
  makes: AgentMakes;
  order: MakeOrder;
  argumentsText: string;
  /** The user has changed the arguments. */
  edited?: true;
  costCredits: number;
};
type ReadInput = CallInput & { what: string };
type AskInput = CallInput & { question: string };
type RefusedInput = CallInput & { problem: string; reason: RefusalReason };
/** Of one that the model did not ask for itself, `turn` and `index` are 0. */
type FinishInput = CallInput & { summary: string };

/** `told`: the result of the call, word for word as the model is told. */
export type CallResult = { told: string; problem?: string; answer?: string };

type Kinds = {
  turn: { input: TurnInput; result: TurnResult | null };
  make: { input: MakeInput; result: CallResult | null };
  read: { input: ReadInput; result: CallResult | null };
  ask: { input: AskInput; result: CallResult | null };
  refused: { input: RefusedInput; result: CallResult | null };
  finish: { input: FinishInput; result: CallResult | null };
};
export type AgentStepKind = keyof Kinds;

export type AgentStep<K extends AgentStepKind = AgentStepKind> = {
  [Kind in K]: {
    key: string;
    kind: Kind;
    status: StepStatus;
    childTaskId: string | null;
  } & Kinds[Kind];
}[K];

/** What a call becomes, before it is recorded. */
export type CallStep = {
  [Kind in Exclude<AgentStepKind, 'turn'>]: {
    kind: Kind;
    status: StepStatus;
    input: Kinds[Kind]['input'];
    result?: CallResult;
  };
}[Exclude<AgentStepKind, 'turn'>];

/** A kept step with the input and result of its kind. Only this domain writes them, so their shape is not checked anew. */
export function toAgentStep({ key, kind, status, childTaskId, input, result }: StepRow): AgentStep {
  return { key, kind, status, childTaskId, input, result } as unknown as AgentStep;
}

/** The key of the try after `attempt` tries of a turn. */
export const turnKey = (number: number, attempt: number): string =>
  attempt === 0 ? `model:${number}` : `model:${number}:${attempt}`;

export const callKey = (turn: number, index: number): string => `call:${turn}:${index}`;

/** The key of a finish that the model did not ask for itself. */
export const END_KEY = 'end';

export const isOpen = ({ status }: Pick<AgentStep, 'status'>): boolean =>
  status === 'planned' || status === 'awaiting' || status === 'running';

export const isCall = (step: AgentStep): step is AgentStep<Exclude<AgentStepKind, 'turn'>> =>
  step.kind !== 'turn';

/** Turns and makes that had, or may still have, a child: what counts towards the most steps of a run. */
export function countSteps(steps: readonly AgentStep[]): number {
  return steps.filter(
    (step) => (step.kind === 'turn' || step.kind === 'make') && (step.childTaskId !== null || isOpen(step)),
  ).length;
}

/** What a step that is open when its run ends has become: by its child's outputs, or skipped without a child. */
export function closedStatus(child: { outputs: readonly unknown[] } | undefined): StepStatus {
  if (!child) return 'skipped';
  return child.outputs.length > 0 ? 'done' : 'failed';
}
