import { readCredits } from '#server/billing/read-credits.ts';
import type { Deps } from '#server/deps.ts';
import { type CheckedAgent, checkModels } from './check-agent.ts';
import type { AgentQuoteInput, AgentQuoteView } from './schemas.ts';

/** Turns of a usual run: plan, look at the results, finish. */
const USUAL_TURNS = 3;

/** What a run may cost, before it is ordered. @throws AppError as a submit does for these fields */
export async function quoteAgent(
  deps: Deps,
  input: AgentQuoteInput & { userId: string },
): Promise<AgentQuoteView> {
  const checked = await checkModels(deps, input);
  const { balanceCredits } = await readCredits(deps, input.userId);
  return {
    estimateCredits: estimateAgent(checked, input),
    capCredits: input.budgetCredits,
    turnCredits: checked.driver.dearestTurn,
    balanceCredits,
    affordable: balanceCredits >= input.budgetCredits,
  };
}

/** A usual run: a few turns and one result of each allowed kind by the model named first, never above the budget. */
export function estimateAgent(
  { driver, models }: CheckedAgent,
  { budgetCredits }: Pick<AgentQuoteInput, 'budgetCredits'>,
): number {
  const firstOfKind = models.filter(
    (model, at) => models.findIndex(({ kind }) => kind === model.kind) === at,
  );
  const results = firstOfKind.reduce((sum, { credits }) => sum + credits, 0);
  return Math.min(budgetCredits, USUAL_TURNS * driver.usualTurn + results);
}
