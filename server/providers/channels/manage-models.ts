import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { findModel, insertModels, saveModel } from './model-queries.ts';
import { findChannel } from './queries.ts';
import type { CreateModelInput, UpdateModelInput } from './schemas.ts';

/** Adds a model to a channel whose protocol speaks its endpoint. */
export async function createModel(
  deps: Pick<Deps, 'db' | 'newId' | 'providers'>,
  input: CreateModelInput,
): Promise<{ modelId: string }> {
  const channel = await findChannel(deps.db, input.channelId);
  if (!channel) throw new AppError('not_found', 'There is no such channel.', { field: 'channelId' });
  if (!deps.providers.has(channel.protocol, input.endpoint)) {
    throw new AppError(
      'unprocessable',
      `The protocol "${channel.protocol}" has no endpoint "${input.endpoint}".`,
      {
        field: 'endpoint',
      },
    );
  }
  const modelId = deps.newId();
  try {
    await insertModels(deps.db, [{ ...input, id: modelId }]);
  } catch (error) {
    if (!isUniqueViolation(error, 'models_slug_key')) throw error;
    throw new AppError('conflict', 'There is a model of this name already. Choose another name.', {
      field: 'slug',
    });
  }
  return { modelId };
}

/** Changes a model for future tasks; those already submitted keep parameters, price and limits of their snapshot. */
export async function updateModel(
  deps: Pick<Deps, 'db'>,
  { modelId, ...set }: UpdateModelInput,
): Promise<void> {
  const model = await findModel(deps.db, modelId);
  if (!model) throw noSuchModel();
  const price = set.price ?? model.price;
  const parameters = set.parameters ?? model.parameters;
  if (price.unit === 'second' && !('seconds' in parameters)) {
    throw new AppError('unprocessable', 'A price per second needs a parameter named "seconds".', {
      field: 'price',
    });
  }
  if (!(await saveModel(deps.db, modelId, set))) throw noSuchModel();
}

/** Offers a model to users, or hides it from new tasks. */
export async function enableModel(
  deps: Pick<Deps, 'db'>,
  input: { modelId: string; enabled: boolean },
): Promise<void> {
  if (!(await saveModel(deps.db, input.modelId, { enabled: input.enabled }))) throw noSuchModel();
}

function noSuchModel(): AppError {
  return new AppError('not_found', 'There is no such model.');
}
