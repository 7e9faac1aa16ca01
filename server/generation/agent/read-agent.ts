import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { getUploads } from '#server/storage/queries.ts';
import type { StepRow } from '../composite/queries.ts';
import { type CompositeReading, readCompositeView } from '../composite/read-composite.ts';
import { readModelTitles } from '../model-queries.ts';
import { readTaskViews } from '../read-tasks.ts';
import { type AgentStep, closedStatus, countSteps, isOpen, toAgentStep } from './agent-step.ts';
import { awaitingKeys } from './decide-next.ts';
import type { AgentEntry, AgentSettings, AgentView } from './schemas.ts';

/** A run as its page shows it. @throws AppError `not_found`, the same for a foreign one as for none */
export async function readAgent(deps: Deps, input: { userId: string; taskId: string }): Promise<AgentView> {
  const reading = await readCompositeView(deps, input);
  const settings = reading.composite.settings as AgentSettings;
  const isAgent = reading.task.kind === 'agent';
  const [[task], uploads, allowedTitles] = await Promise.all([
    readTaskViews(deps, { userId: input.userId, taskIds: [input.taskId] }),
    getUploads(deps.db, input.userId, isAgent ? settings.references : []),
    readModelTitles(deps.db, isAgent ? settings.allowed.map(({ model }) => model) : []),
  ]);
  if (task?.kind !== 'agent') throw new AppError('not_found', 'There is no such agent run.');
  const steps = reading.steps.map(toAgentStep);
  return {
    ...reading.view,
    task,
    settings,
    modelTitle: task.model.title,
    allowedTitles,
    references: uploads.map(({ id, fileName, mime }) => ({ id, fileName, mime })),
    stepsUsed: countSteps(steps),
    transcript: reading.steps.map((row) => toEntry(reading, row, allowedTitles)),
    awaiting: task.finishedAt === null ? awaitingKeys(steps) : [],
  };
}

type Titles = Readonly<Record<string, string>>;

function toEntry(reading: CompositeReading, row: StepRow, titles: Titles): AgentEntry {
  // A cancel ends a run without a look at its steps.
  const isCut = reading.task.finishedAt !== null && isOpen(row);
  const child = row.childTaskId === null ? undefined : reading.children.get(row.childTaskId);
  const base = {
    key: row.key,
    status: isCut ? closedStatus(child) : row.status,
    at: row.createdAt,
    endedAt: row.endedAt,
    child: reading.childOf(row),
  };
  return { ...base, ...aboutOf(toAgentStep(row), titles) };
}

type About<T> = T extends unknown ? Omit<T, 'key' | 'status' | 'at' | 'endedAt' | 'child'> : never;

function aboutOf(step: AgentStep, titles: Titles): About<AgentEntry> {
  switch (step.kind) {
    case 'turn': {
      const answer = step.result && 'text' in step.result ? step.result : null;
      return {
        type: 'turn',
        number: step.input.number,
        text: answer?.text ?? '',
        calls: answer?.calls.length ?? 0,
      };
    }
    case 'make':
      return {
        type: 'make',
        makes: step.input.makes,
        modelTitle: titles[step.input.order.model] ?? step.input.order.model,
        prompt: step.input.order.prompt,
        argumentsText: step.input.argumentsText,
        costCredits: step.input.costCredits,
        problem: step.result?.problem ?? null,
      };
    case 'read':
      return { type: 'read', what: step.input.what, problem: step.result?.problem ?? null };
    case 'ask':
      return { type: 'ask', question: step.input.question, answer: step.result?.answer ?? null };
    case 'refused':
      return { type: 'refused', name: step.input.tool, problem: step.input.problem };
    case 'finish':
      return { type: 'finish', summary: step.input.summary };
  }
}
