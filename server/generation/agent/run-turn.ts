import { AppError } from '#server/lib/app-error.ts';
import { getUploads } from '#server/storage/queries.ts';
import { CompositeLost, recordSteps, startChild } from '../composite/start-child.ts';
import type { Conversation } from '../conversation/schemas.ts';
import { checkOrder } from '../submit-task.ts';
import { type AgentRun, endSteps, freeCredits, listMade } from './agent-run.ts';
import { buildConversation } from './build-conversation.ts';
import { cutText } from './cut-text.ts';
import type { Next } from './decide-next.ts';
import { describeOutput } from './describe-output.ts';
import { goalText, instructionsOf } from './instructions.ts';
import { loadAllowed } from './load-models.ts';
import { toRounds } from './rounds.ts';
import { type AllowedModel, toolDefinitions } from './tool-definitions.ts';

/** Of the goal, as the child's own prompt shows it. */
const PROMPT_CHARACTERS = 200;
export async function recordTurn(run: AgentRun, next: Extract<Next, { type: 'record_turn' }>): Promise<void> {
  const { key, number, attempt, status } = next;
  await recordSteps(run, [{ key, kind: 'turn', status, input: { number, attempt } }]);
}

/** Sends the conversation so far as a child of its own. A turn that cannot be started ends its step with the reason. */
export async function startTurn(run: AgentRun, key: string): Promise<void> {
  const { deps, settings } = run;
  const { models } = await loadAllowed(deps, settings.allowed);
  const prepared = await prepareTurn(run, models);
  if ('problem' in prepared) return failTurn(run, key, { failure: 'failed', message: prepared.problem });
  const started = await startChild(run, {
    stepKey: key,
    paidBy: 'parent',
    order: {
      kind: 'text',
      model: settings.model,
      prompt: cutText(settings.goal, PROMPT_CHARACTERS),
      params: {},
      references: prepared.pictures,
      conversation: prepared.conversation,
    },
  });
  switch (started.type) {
    case 'started':
    case 'not_planned':
      return;
    case 'lost':
      throw new CompositeLost();
    case 'over_budget': {
      const free = await freeCredits(run);
      const message = `A further turn of the language model costs ${started.neededCredits} credits, and ${free} are left of the budget.`;
      return failTurn(run, key, { failure: 'over_budget', message });
    }
    case 'refused':
      return failTurn(run, key, { failure: 'failed', message: started.message });
  }
}

async function prepareTurn(
  run: AgentRun,
  models: readonly AllowedModel[],
): Promise<{ conversation: Conversation; pictures: string[] } | { problem: string }> {
  const { deps, settings, claimed } = run;
  let limits: { maxPromptCharacters: number; maxReferences: number };
  try {
    const order = { kind: 'text' as const, model: settings.model, params: {}, promptBytes: 0 };
    limits = (await checkOrder(deps, order)).model;
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
  const uploads = await getUploads(deps.db, claimed.task.userId, settings.references);
  const conversation = buildConversation({
    instructions: instructionsOf(settings),
    goal: goalText(settings.goal, uploads),
    tools: toolDefinitions(models),
    rounds: toRounds(run.agentSteps),
    made: listMade(run).map((output) => describeOutput(output)),
    windowCharacters: limits.maxPromptCharacters,
  });
  const pictures = uploads.filter(({ mime }) => mime.startsWith('image/')).map(({ id }) => id);
  return { conversation, pictures: pictures.slice(0, limits.maxReferences) };
}

const failTurn = (
  run: AgentRun,
  key: string,
  result: { failure: 'over_budget' | 'failed'; message: string },
): Promise<void> =>
  endSteps(run, [{ key, from: ['planned'], to: 'failed', result: { ...result, retry: false } }]);
