import { priceOrder } from '#server/billing/pricing.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { checkDriver } from '../composite/submit-composite.ts';
import { textBytes, utf8Bytes } from '../price/shared.ts';
import { checkOrder, type Order } from '../submit-task.ts';
import type { AgentQuoteInput } from './schemas.ts';
import { type AllowedModel, toolDefinitions } from './tool-definitions.ts';

type ModelDeps = Pick<Deps, 'db' | 'providers' | 'clock'>;
type Allowed = AgentQuoteInput['allowed'];

/** The allowed models that can be ordered now, with the sentences about those that cannot. */
export async function loadAllowed(
  deps: ModelDeps,
  allowed: Allowed,
): Promise<{ models: AllowedModel[]; refusals: AppError[] }> {
  const models: AllowedModel[] = [];
  const refusals: AppError[] = [];
  for (const { kind, model: slug } of allowed) {
    try {
      const { model, ordered } = await checkOrder(deps, { kind, model: slug, params: {}, promptBytes: 0 });
      models.push({
        slug,
        kind,
        title: model.title,
        parameters: model.parameters,
        maxPromptCharacters: model.maxPromptCharacters,
        maxReferences: model.maxReferences,
        credits: ordered.credits,
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusals.push(error);
    }
  }
  return { models, refusals };
}

export type Driver = Order & {
  /** Credits of a turn that fills the window, and of a usual one. */
  dearestTurn: number;
  usualTurn: number;
};

/** The part of a window that a usual turn fills. */
const USUAL_PART = 4;

/**
 * The language model that drives a run and what its turns cost. A window of n characters has at most 3n bytes; tools go
 * with every turn and are counted apart.
 *
 * @throws AppError `not_found`, `bad_request` for one that cannot call tools or whose window is too large for a price
 */
export async function loadDriver(
  deps: ModelDeps,
  slug: string,
  models: readonly AllowedModel[],
): Promise<Driver> {
  const order = await checkDriver(deps, slug);
  const { title, price, parameters, maxPromptCharacters } = order.model;
  const fixed =
    textBytes(parameters, order.params) + utf8Bytes(JSON.stringify(toolDefinitions(models))) + 100;
  const priceOf = (characters: number): number => {
    try {
      return priceOrder(price, order.params, fixed + 3 * characters).credits;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new AppError(
        'bad_request',
        `A turn of ${title} is too large for a price. Choose another language model.`,
        { field: 'model', cause: error },
      );
    }
  };
  return {
    ...order,
    dearestTurn: priceOf(maxPromptCharacters),
    usualTurn: priceOf(Math.ceil(maxPromptCharacters / USUAL_PART)),
  };
}
