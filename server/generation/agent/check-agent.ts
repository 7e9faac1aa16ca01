import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { getUploads, type Upload } from '#server/storage/queries.ts';
import { sizeOf } from '../composite/conversation-size.ts';
import { LEAST_ROOM } from './build-conversation.ts';
import { goalText, instructionsOf } from './instructions.ts';
import { type Driver, loadAllowed, loadDriver } from './load-models.ts';
import type { AgentQuoteInput, AgentSettings } from './schemas.ts';
import type { AllowedModel } from './tool-definitions.ts';

export type CheckedAgent = { driver: Driver; models: AllowedModel[] };

/**
 * Checks the models of an order and its budget: all models are there, and one turn and one product are affordable.
 *
 * @throws AppError `not_found`, `bad_request` naming the field
 */
export async function checkModels(
  deps: Pick<Deps, 'db' | 'providers' | 'clock'>,
  input: AgentQuoteInput,
): Promise<CheckedAgent> {
  const { models, refusals } = await loadAllowed(deps, input.allowed);
  const [refusal] = refusals;
  if (refusal) throw new AppError(refusal.code, refusal.message, { field: 'allowed', cause: refusal });
  const driver = await loadDriver(deps, input.model, models);
  const least = driver.dearestTurn + Math.min(...models.map(({ credits }) => credits));
  if (input.budgetCredits < least) {
    throw new AppError(
      'bad_request',
      `A budget of ${input.budgetCredits} credits does not pay for one turn of ${driver.model.title} and one result. Allow at least ${least} credits.`,
      { field: 'budgetCredits' },
    );
  }
  return { driver, models };
}

/**
 * Checks an order before anything is charged: models, budget, references, and that goal and instructions leave room in
 * the window of the language model.
 *
 * @throws AppError `not_found`, `bad_request` naming the field
 */
export async function checkAgent(
  deps: Pick<Deps, 'db' | 'providers' | 'clock'>,
  input: { userId: string; settings: AgentSettings },
): Promise<CheckedAgent> {
  const { userId, settings } = input;
  const checked = await checkModels(deps, settings);
  const uploads = await getUploads(deps.db, userId, settings.references);
  if (uploads.length !== settings.references.length) {
    throw new AppError('bad_request', 'A reference file is not there any more. Upload it again.', {
      field: 'references',
    });
  }
  const { model } = checked.driver;
  const spare = model.maxPromptCharacters - fixedCharacters(settings, uploads) - LEAST_ROOM;
  if (spare < 0) {
    throw new AppError(
      'bad_request',
      `${model.title} has no room for a goal this long. Shorten it by ${-spare} characters or choose another language model.`,
      { field: 'goal' },
    );
  }
  return checked;
}

const fixedCharacters = (settings: AgentSettings, uploads: readonly Upload[]): number =>
  sizeOf({
    instructions: instructionsOf(settings),
    turns: [{ role: 'user', text: goalText(settings.goal, uploads) }],
  });
