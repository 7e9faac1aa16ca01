import type { CompositeAction, CompositeStep } from '../composite/step.ts';
import { type AgentRun, endSteps, toAgentRun } from './agent-run.ts';
import { decideNext, type Next, progressOf } from './decide-next.ts';
import { endAgent } from './end-agent.ts';
import { readAnswer } from './read-answer.ts';
import { closeMakes, readOutputs, startMakes } from './run-calls.ts';
import { recordTurn, startTurn } from './run-turn.ts';

/** Takes an agent one step further: decides by what is recorded, does that one thing, and says what comes then. */
export async function advanceAgent(step: CompositeStep): Promise<CompositeAction> {
  const run = toAgentRun(step);
  const next = decideNext(stateOf(run));
  const progress = progressOf({ steps: run.agentSteps, maxSteps: run.settings.maxSteps });
  if (next.type === 'wait') return { type: 'wait', for: next.for, progress };
  if (next.type === 'end') return endAgent(run, next.why);
  await act(run, next);
  return { type: 'again', progress };
}

/** What an agent that was stopped, or whose time is up, ends with. */
export async function finishAgent(step: CompositeStep): Promise<CompositeAction> {
  const run = toAgentRun(step);
  const next = decideNext(stateOf(run));
  return endAgent(run, next.type === 'end' && next.why.type === 'finished' ? next.why : { type: 'stopped' });
}

function stateOf(run: AgentRun): Parameters<typeof decideNext>[0] {
  return {
    approval: run.settings.approval,
    maxSteps: run.settings.maxSteps,
    steps: run.agentSteps,
    children: new Map([...run.children].map(([id, { task }]) => [id, task.status])),
    childrenAtOnce: run.deps.config.composites.childrenAtOnce,
  };
}

async function act(run: AgentRun, next: Exclude<Next, { type: 'wait' | 'end' }>): Promise<void> {
  switch (next.type) {
    case 'record_turn':
      return recordTurn(run, next);
    case 'start_turn':
      return startTurn(run, next.key);
    case 'read_answer':
      return readAnswer(run, next.key);
    case 'start_makes':
      return startMakes(run, next.keys);
    case 'close_makes':
      return closeMakes(run, next.keys);
    case 'read_outputs':
      return readOutputs(run, next.keys);
    case 'put_off_finish': {
      const problem = 'Not finished: look at the other results of your answer first.';
      const result = { told: problem, problem };
      return endSteps(run, [{ key: next.key, from: ['planned'], to: 'skipped', result }]);
    }
  }
}
