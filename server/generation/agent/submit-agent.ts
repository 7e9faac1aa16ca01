import type { Deps } from '#server/deps.ts';
import { submitComposite } from '../composite/submit-composite.ts';
import { findRequestKey } from '../queries.ts';
import type { Submitted } from '../request-key.ts';
import { checkAgent } from './check-agent.ts';
import { estimateAgent } from './quote-agent.ts';
import type { AgentInput, AgentSettings } from './schemas.ts';

/**
 * Accepts a run: settings and budget in one transaction, nothing sent. The same request key with the same order is the
 * same run, also when it would be refused today.
 *
 * @throws AppError `bad_request`, `not_found`, `conflict`, `insufficient_credits`, `forbidden` past a limit of the cost guard
 */
export async function submitAgent(deps: Deps, input: AgentInput & { userId: string }): Promise<Submitted> {
  const { userId, requestKey, ...rest } = input;
  const settings: AgentSettings = rest;
  const isKnown = (await findRequestKey(deps.db, userId, requestKey)) !== undefined;
  const estimateCredits = isKnown
    ? null
    : estimateAgent(await checkAgent(deps, { userId, settings }), settings);
  return submitComposite(deps, {
    kind: 'agent',
    userId,
    requestKey,
    body: settings,
    model: settings.model,
    prompt: settings.goal,
    references: settings.references,
    phase: 'running',
    settings,
    budgetCredits: settings.budgetCredits,
    estimateCredits,
  });
}
