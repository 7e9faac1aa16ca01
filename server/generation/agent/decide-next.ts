import type { FailureCode, Kind, Status } from '../status.ts';
import { isTerminal } from '../status.ts';
import { type AgentStep, countSteps, isCall, isOpen, turnKey } from './agent-step.ts';
import type { AgentMakes, Approval } from './schemas.ts';

/** What an agent does next, from its settings, its steps and its children alone. Pure. */

/** Tries of one turn whose request failed with a refund, after the first one. */
const TURN_RETRIES = 2;
/** Answers in a row of which nothing could be used, and calls that were made before: then it ends. */
const MOST_BAD_TURNS = 3;
const MOST_REPEATS = 3;
/** Answers in a row that are text only: the last one is taken for the end. */
const MOST_TEXT_ANSWERS = 2;

export type EndReason =
  /** The model has called finish, or its end is recorded already. */
  | { type: 'finished'; key: string; summary: string }
  /** The model has said it in words, twice. */
  | { type: 'said'; summary: string }
  /** The user has stopped it, or let its time pass. */
  | { type: 'stopped' }
  /** It cannot go on; `detail` says why, in one sentence. */
  | { type: 'cut_short'; code: FailureCode; detail: string };

export type Next =
  | { type: 'record_turn'; number: number; attempt: number; key: string; status: 'planned' | 'awaiting' }
  | { type: 'start_turn'; key: string }
  | { type: 'read_answer'; key: string }
  | { type: 'start_makes'; keys: string[] }
  /** Children of these makes have ended. */
  | { type: 'close_makes'; keys: string[] }
  | { type: 'read_outputs'; keys: string[] }
  /** Finish came together with something that the model has to look at first. */
  | { type: 'put_off_finish'; key: string }
  | { type: 'wait'; for: 'children' | 'user' }
  | { type: 'end'; why: EndReason };

export type AgentState = {
  approval: Approval;
  maxSteps: number;
  steps: readonly AgentStep[];
  /** Status of every child by task id. */
  children: ReadonlyMap<string, Status>;
  /** Makes of one kind under way at once. */
  childrenAtOnce: Readonly<Record<Kind, number>>;
};

/** The next thing to do. The same state always gives the same answer, so a step that was cut off is taken again. */
export function decideNext(state: AgentState): Next {
  const ended = state.steps.find((step) => step.kind === 'finish' && step.status === 'done');
  if (ended?.kind === 'finish') {
    return {
      type: 'end',
      why: { type: 'finished', key: ended.key, summary: ended.input.summary },
    };
  }
  const turn = state.steps.findLast((step) => step.kind === 'turn');
  if (!turn) return recordTurn({ ...state, approval: 'none' }, 1);
  switch (turn.status) {
    case 'awaiting':
      return { type: 'wait', for: 'user' };
    case 'planned':
      return { type: 'start_turn', key: turn.key };
    case 'running':
      return hasEnded(state, turn)
        ? { type: 'read_answer', key: turn.key }
        : { type: 'wait', for: 'children' };
    case 'failed':
      return afterFailedTurn(turn);
    case 'rejected':
    case 'skipped':
      return { type: 'end', why: { type: 'stopped' } };
    case 'done':
      return afterTurn(state, turn);
  }
}

function recordTurn(state: AgentState, number: number): Next {
  return {
    type: 'record_turn',
    number,
    attempt: 0,
    key: turnKey(number, 0),
    status: state.approval === 'each' ? 'awaiting' : 'planned',
  };
}

/** A turn whose request failed is tried again, as long as nobody may still be at work on it. */
function afterFailedTurn(turn: AgentStep<'turn'>): Next {
  const { number, attempt } = turn.input;
  const failure = turn.result && 'failure' in turn.result ? turn.result : null;
  if (failure?.failure === 'over_budget') return cutShort('budget_spent', failure.message);
  if (failure?.retry && attempt < TURN_RETRIES) {
    return {
      type: 'record_turn',
      number,
      attempt: attempt + 1,
      key: turnKey(number, attempt + 1),
      status: 'planned',
    };
  }
  return cutShort('step_failed', failure?.message ?? 'The language model gave no answer.');
}

function afterTurn(state: AgentState, turn: AgentStep<'turn'>): Next {
  const calls = state.steps.filter(isCall).filter((call) => call.input.turn === turn.input.number);
  const makes = calls.filter((call) => call.kind === 'make');

  const over = makes.filter((make) => make.status === 'running' && hasEnded(state, make));
  if (over.length > 0) return { type: 'close_makes', keys: over.map(({ key }) => key) };
  const reads = calls.filter((call) => call.kind === 'read' && call.status === 'planned');
  if (reads.length > 0) return { type: 'read_outputs', keys: reads.map(({ key }) => key) };
  const startable = withinCaps(state, makes);
  if (startable.length > 0) return { type: 'start_makes', keys: startable };
  if (calls.some((call) => call.kind === 'make' && (call.status === 'running' || call.status === 'planned')))
    return { type: 'wait', for: 'children' };
  if (calls.some((call) => call.status === 'awaiting')) return { type: 'wait', for: 'user' };

  const finish = calls.find((call) => call.kind === 'finish' && call.status === 'planned');
  if (finish?.kind === 'finish') {
    const { key } = finish;
    const isNews = calls.some(
      (call) =>
        call.kind === 'ask' || call.kind === 'refused' || (call.kind === 'make' && call.status !== 'done'),
    );
    if (isNews) return { type: 'put_off_finish', key };
    return { type: 'end', why: { type: 'finished', key, summary: finish.input.summary } };
  }
  return nextTurn(state, turn.input.number);
}

function nextTurn(state: AgentState, number: number): Next {
  const turns = state.steps.filter((step) => step.kind === 'turn' && step.status === 'done');
  const answers = turns.map((turn) => ratingOf(state.steps, turn as AgentStep<'turn'>));
  const last = turns.at(-1) as AgentStep<'turn'> | undefined;
  if (endsWith(answers, 'text', MOST_TEXT_ANSWERS) && last?.result && 'text' in last.result) {
    return { type: 'end', why: { type: 'said', summary: last.result.text } };
  }
  if (endsWith(answers, 'bad', MOST_BAD_TURNS)) {
    return cutShort(
      'step_failed',
      `The language model gave ${MOST_BAD_TURNS} answers in a row of which nothing could be used.`,
    );
  }
  const repeats = state.steps.filter((step) => step.kind === 'refused' && step.input.reason === 'repeat');
  if (repeats.length >= MOST_REPEATS) {
    return cutShort('step_failed', 'The language model asked for the same thing again and again.');
  }
  if (countSteps(state.steps) >= state.maxSteps) {
    return cutShort('steps_used_up', `All ${state.maxSteps} steps were used.`);
  }
  return recordTurn(state, number + 1);
}

/** Text only, nothing usable, or something to go on with. */
function ratingOf(steps: readonly AgentStep[], turn: AgentStep<'turn'>): 'text' | 'bad' | 'useful' {
  const { result } = turn;
  if (!result || 'failure' in result || result.problem !== undefined) return 'bad';
  if (result.calls.length === 0) return result.text.trim() === '' ? 'bad' : 'text';
  const calls = steps.filter(isCall).filter((call) => call.input.turn === turn.input.number);
  const isBad = calls.every((call) => call.kind === 'refused' && call.input.reason === 'malformed');
  return isBad ? 'bad' : 'useful';
}

const endsWith = <T>(list: readonly T[], value: T, times: number): boolean =>
  list.length >= times && list.slice(-times).every((item) => item === value);

const cutShort = (code: FailureCode, detail: string): Next => ({
  type: 'end',
  why: { type: 'cut_short', code, detail },
});

function hasEnded({ children }: AgentState, step: AgentStep): boolean {
  const status = step.childTaskId === null ? undefined : children.get(step.childTaskId);
  return status !== undefined && isTerminal(status);
}

/** Planned makes for which there is room beside those under way. */
function withinCaps(state: AgentState, makes: readonly AgentStep<'make'>[]): string[] {
  const room: Record<AgentMakes, number> = { ...state.childrenAtOnce };
  for (const make of makes) if (make.status === 'running') room[make.input.makes] -= 1;
  const keys: string[] = [];
  for (const make of makes) {
    if (make.status !== 'planned' || room[make.input.makes] <= 0) continue;
    room[make.input.makes] -= 1;
    keys.push(make.key);
  }
  return keys;
}

/** Keys of what waits for the user. */
export const awaitingKeys = (steps: readonly AgentStep[]): string[] =>
  steps.filter(({ status }) => status === 'awaiting').map(({ key }) => key);

/** Rough percent: what was used of the most steps, never all of it before the end. */
export function progressOf(state: Pick<AgentState, 'steps' | 'maxSteps'>): number {
  const done = state.steps.filter((step) => (step.kind === 'turn' || step.kind === 'make') && !isOpen(step));
  return Math.min(95, Math.round((done.length / state.maxSteps) * 100));
}
