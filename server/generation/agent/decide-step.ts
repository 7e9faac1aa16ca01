import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { extendWait, readComposite, readSteps, updateStep } from '../composite/queries.ts';
import type { StepInput, StepStatus } from '../composite/schemas.ts';
import { readOwnComposite } from '../composite/view-queries.ts';
import { appendEvent } from '../event-queries.ts';
import { wakeTask } from '../lease-queries.ts';
import { lockTask } from '../queries.ts';
import { isTerminal } from '../status.ts';
import { type AgentStep, type CallResult, toAgentStep } from './agent-step.ts';
import { loadAllowed } from './load-models.ts';
import { priceMake } from './read-answer.ts';
import { readCall } from './read-calls.ts';
import type { AgentDecisionInput, AgentSettings } from './schemas.ts';

const EVENTS = { approve: 'approved', edit: 'edited', reject: 'rejected', answer: 'answered' } as const;

type Change = { to: StepStatus; input?: StepInput; result?: CallResult };

/**
 * A person's word on what waits for it: approve, edit, reject or answer. It is written under the task's lock and only
 * while the step waits, so two words on one step have one effect; the run goes on at once and no lease is broken.
 *
 * @throws AppError `not_found`, `conflict` when it does not wait (any more), `bad_request` for arguments that do not fit
 */
export async function decideStep(deps: Deps, input: AgentDecisionInput & { userId: string }): Promise<void> {
  const { userId, taskId, stepKey } = input;
  const own = await readOwnComposite(deps.db, { userId, taskId });
  if (own?.task.kind !== 'agent') throw new AppError('not_found', 'There is no such agent run.');
  const row = (await readSteps(deps.db, taskId)).find(({ key }) => key === stepKey);
  if (!row) throw new AppError('not_found', 'There is no such step.');
  if (row.status !== 'awaiting') throw decidedAlready();
  const change = await changeOf(deps, {
    decision: input,
    step: toAgentStep(row),
    settings: own.composite.settings as AgentSettings,
  });
  await deps.db.transaction(async (tx) => {
    const locked = await lockTask(tx, userId, taskId);
    const composite = await readComposite(tx, taskId);
    if (!locked || isTerminal(locked.task.status)) {
      throw new AppError('conflict', 'This run has ended already. Reload the page.');
    }
    if (locked.task.cancelRequestedAt || composite?.stopRequestedAt) {
      throw new AppError('conflict', 'This run is ending. Nothing more is started.');
    }
    if (!(await updateStep(tx, { ...change, taskId, key: stepKey, from: ['awaiting'] }))) {
      throw decidedAlready();
    }
    await appendEvent(tx, taskId, {
      type: EVENTS[input.decision],
      actor: `user:${userId}`,
      data: { step: stepKey },
    });
    await extendWait(tx, taskId);
    await wakeTask(tx, taskId);
  });
  deps.due.wake();
}

const decidedAlready = () =>
  new AppError('conflict', 'This does not wait for you any more. Reload the page to see what became of it.');

async function changeOf(
  deps: Deps,
  { decision, step, settings }: { decision: AgentDecisionInput; step: AgentStep; settings: AgentSettings },
): Promise<Change> {
  if (step.kind === 'ask') {
    if (decision.decision !== 'answer') throw new AppError('bad_request', 'This is a question. Answer it.');
    const { answer } = decision;
    return { to: 'done', result: { told: `The person answers: ${answer}`, answer } };
  }
  switch (decision.decision) {
    case 'approve':
      return { to: 'planned' };
    case 'reject': {
      if (step.kind === 'turn') return { to: 'rejected' };
      const { reason } = decision;
      const told = `The person rejected this. ${reason === '' ? 'No reason was given.' : `The reason: ${reason}`}`;
      return { to: 'rejected', result: { told, problem: reason === '' ? 'Rejected.' : reason } };
    }
    case 'edit':
      if (step.kind !== 'make') throw new AppError('bad_request', 'This has no arguments to edit.');
      return { to: 'planned', input: await editedInput(deps, { step, settings, ...decision }) };
    case 'answer':
      throw new AppError('bad_request', 'This is no question. Approve or reject it.');
  }
}

/** Arguments of a person pass the same checks as those of the model. */
async function editedInput(
  deps: Deps,
  edit: { step: AgentStep<'make'>; settings: AgentSettings; argumentsText: string },
): Promise<StepInput> {
  const { step, settings, argumentsText } = edit;
  const { models } = await loadAllowed(deps, settings.allowed);
  const reading = readCall({ name: step.input.tool, argumentsText }, models);
  if (reading.type !== 'make') {
    const problem = reading.type === 'refused' ? reading.problem : 'These are no arguments for it.';
    throw new AppError('bad_request', problem, { field: 'argumentsText' });
  }
  const price = await priceMake({ deps }, reading);
  if ('problem' in price) throw new AppError('bad_request', price.problem, { field: 'argumentsText' });
  return {
    ...step.input,
    order: reading.order,
    argumentsText,
    costCredits: price.credits,
    edited: true,
  };
}
