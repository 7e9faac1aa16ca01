import { readHold } from '#server/billing/queries.ts';
import type { Tx } from '#server/db/client.ts';
import type { OutputRow } from '../composite/queries.ts';
import { updateStep } from '../composite/queries.ts';
import type { StepStatus } from '../composite/schemas.ts';
import { underLease } from '../composite/start-child.ts';
import type { CompositeStep } from '../composite/step.ts';
import { type AgentStep, type CallResult, type TurnResult, toAgentStep } from './agent-step.ts';
import type { AgentSettings } from './schemas.ts';

/** A leased agent with its settings and steps as its own code reads them. */
export type AgentRun = CompositeStep & { settings: AgentSettings; agentSteps: AgentStep[] };

export function toAgentRun(step: CompositeStep): AgentRun {
  return {
    ...step,
    settings: step.composite.settings as AgentSettings,
    agentSteps: step.steps.map(toAgentStep),
  };
}

/** What this run has made, in the order in which it was asked for. Files that were removed since are not among them. */
export function listMade(run: Pick<AgentRun, 'agentSteps' | 'children'>): OutputRow[] {
  return run.agentSteps.flatMap((step) =>
    step.kind === 'make' && step.childTaskId !== null
      ? (run.children.get(step.childTaskId)?.outputs ?? []).filter(({ removedAt }) => removedAt === null)
      : [],
  );
}

export async function freeCredits({ deps, lease }: Pick<AgentRun, 'deps' | 'lease'>): Promise<number> {
  return (await readHold(deps.db, lease.taskId))?.budgetFreeCredits ?? 0;
}

type StepEnd = {
  key: string;
  from: readonly StepStatus[];
  to: StepStatus;
  result: TurnResult | CallResult;
};

/** Writes how steps ended, under the lease. One that is not in `from` any more stays as it is. */
export async function endSteps(run: AgentRun, ends: readonly StepEnd[]): Promise<void> {
  await underLease(run, async (tx) => {
    for (const end of ends) await endStep(tx, run.lease.taskId, end);
  });
}

export const endStep = (tx: Tx, taskId: string, end: StepEnd): Promise<boolean> =>
  updateStep(tx, { ...end, taskId });
