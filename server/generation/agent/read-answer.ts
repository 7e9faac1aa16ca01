import { AppError } from '#server/lib/app-error.ts';
import { type ChildRow, insertStep } from '../composite/queries.ts';
import { underLease } from '../composite/start-child.ts';
import { conversationAnswer, type ToolCall } from '../conversation/schemas.ts';
import { checkOrder } from '../submit-task.ts';
import { type AgentRun, endStep, endSteps } from './agent-run.ts';
import { type AgentStep, type CallStep, callKey, countSteps, isCall, type TurnResult } from './agent-step.ts';
import { cutText, storableText } from './cut-text.ts';
import { loadAllowed } from './load-models.ts';
import { type CallReading, MAX_ARGUMENTS_CHARACTERS, MAX_CALLS, readCalls } from './read-calls.ts';
import { readText } from './read-text.ts';

const MAX_ANSWER_BYTES = 1_000_000;
/** What is kept of the words of one answer. */
const MAX_ANSWER_CHARACTERS = 20_000;
/** What is kept of the calls of one answer: those that are looked at, and some that are told why they are not. */
const MOST_KEPT_CALLS = 2 * MAX_CALLS;
/** Failures after which the same request would fail again, or upstream may have done the work all the same. */
const NOT_TRIED_AGAIN: ReadonlySet<string> = new Set([
  'unknown_outcome',
  'rejected',
  'moderated',
  'cannot_run',
]);

/** Reads what the model said and records every call of it, before any is acted on. */
export async function readAnswer(run: AgentRun, key: string): Promise<void> {
  const turn = run.agentSteps.find((step) => step.key === key);
  const child = turn?.childTaskId ? run.children.get(turn.childTaskId) : undefined;
  if (turn?.kind !== 'turn' || !child) throw new Error(`The step ${key} has no turn to read`);
  if (child.task.status !== 'succeeded') {
    const message = child.failureMessage ?? 'The language model was cancelled.';
    const retry = child.task.status === 'failed' && !NOT_TRIED_AGAIN.has(child.task.failureCode ?? '');
    const result: TurnResult = { failure: 'failed', message, retry };
    return endSteps(run, [{ key, from: ['running'], to: 'failed', result }]);
  }
  const answer = await answerOf(run, child);
  if (!answer) {
    const message = 'The answer of the language model is not in storage any more.';
    const result: TurnResult = { failure: 'failed', message, retry: false };
    return endSteps(run, [{ key, from: ['running'], to: 'failed', result }]);
  }
  const calls = answer.calls.length === 0 ? [] : await toCallSteps(run, turn, answer.calls);
  await underLease(run, async (tx) => {
    const { taskId } = run.lease;
    if (!(await endStep(tx, taskId, { key, from: ['running'], to: 'done', result: answer }))) return;
    for (const call of calls) {
      await insertStep(tx, { ...call, taskId, key: callKey(call.input.turn, call.input.index) });
    }
  });
}

type Answer = { text: string; calls: ToolCall[]; problem?: string };

/** Never throws for what upstream wrote; only our own storage may fail here. Null: its file is gone. */
async function answerOf({ deps }: AgentRun, child: ChildRow): Promise<Answer | null> {
  const output = child.outputs.find(({ ordinal }) => ordinal === 0);
  if (!output || output.removedAt) return unusable('Your answer was empty.');
  if (output.bytes > MAX_ANSWER_BYTES) return unusable('Your answer was too long.');
  const text = await readText(deps, output, MAX_ANSWER_BYTES);
  if (text === null) return null;
  const read = conversationAnswer.safeParse(parseJson(text));
  if (!read.success) return unusable('Your answer could not be read.');
  return {
    text: cutText(storableText(read.data.text), MAX_ANSWER_CHARACTERS),
    calls: read.data.toolCalls.slice(0, MOST_KEPT_CALLS).map(({ id, name, argumentsText }) => ({
      id: storableText(id),
      name: cutText(storableText(name), 200),
      argumentsText: cutText(storableText(argumentsText), MAX_ARGUMENTS_CHARACTERS + 1),
    })),
  };
}

const unusable = (problem: string): Answer => ({ text: '', calls: [], problem });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function toCallSteps(
  run: AgentRun,
  turn: AgentStep<'turn'>,
  calls: readonly ToolCall[],
): Promise<CallStep[]> {
  const { models } = await loadAllowed(run.deps, run.settings.allowed);
  const readings = readCalls(calls, {
    models,
    before: acceptedHashes(run.agentSteps),
    stepsLeft: run.settings.maxSteps - countSteps(run.agentSteps),
  });
  const steps: CallStep[] = [];
  for (const [at, call] of calls.entries()) {
    const reading = readings[at];
    if (!reading) continue;
    const base = { turn: turn.input.number, index: at + 1, tool: call.name, hash: reading.hash };
    steps.push(await toCallStep(run, { base, call, reading }));
  }
  return steps;
}

/** Calls that were taken up, which may not be made again; a finish that was put off may. */
const acceptedHashes = (steps: readonly AgentStep[]): ReadonlySet<string> =>
  new Set(
    steps
      .filter(isCall)
      .flatMap((step) => (step.kind === 'refused' || step.kind === 'finish' ? [] : [step.input.hash])),
  );

async function toCallStep(
  run: AgentRun,
  item: {
    base: { turn: number; index: number; tool: string; hash: string };
    call: ToolCall;
    reading: CallReading;
  },
): Promise<CallStep> {
  const { base, call, reading } = item;
  switch (reading.type) {
    case 'read':
      return { kind: 'read', status: 'planned', input: { ...base, what: reading.what } };
    case 'ask':
      return { kind: 'ask', status: 'awaiting', input: { ...base, question: reading.question } };
    case 'finish':
      return { kind: 'finish', status: 'planned', input: { ...base, summary: reading.summary } };
    case 'refused':
      return refusedStep(base, reading);
    case 'make': {
      const { makes, order } = reading;
      const price = await priceMake(run, { makes, order });
      if ('problem' in price) return refusedStep(base, { reason: 'malformed', problem: price.problem });
      return {
        kind: 'make',
        status: run.settings.approval === 'none' ? 'planned' : 'awaiting',
        input: { ...base, makes, order, argumentsText: call.argumentsText, costCredits: price.credits },
      };
    }
  }
}

function refusedStep(
  base: { turn: number; index: number; tool: string; hash: string },
  { reason, problem }: Pick<Extract<CallReading, { type: 'refused' }>, 'reason' | 'problem'>,
): CallStep {
  const told = `Refused: ${problem}`;
  return {
    kind: 'refused',
    status: 'failed',
    input: { ...base, reason, problem },
    result: { told, problem },
  };
}

/** What an order of the model would cost, or why it cannot be ordered. */
export async function priceMake(
  { deps }: Pick<AgentRun, 'deps'>,
  { makes, order }: Pick<Extract<CallReading, { type: 'make' }>, 'makes' | 'order'>,
): Promise<{ credits: number } | { problem: string }> {
  try {
    const { ordered } = await checkOrder(deps, { ...order, kind: makes, references: order.images });
    return { credits: ordered.credits };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}
