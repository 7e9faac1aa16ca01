import { isDeepStrictEqual } from 'node:util';
import { recordAudit } from '#server/audit/record-audit.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { insertModels, listCandidates, lockModel, type ModelRow, saveModel } from './model-queries.ts';
import { requireTarget } from './model-targets.ts';
import type { CreateModelInput, UpdateModelInput } from './models/schemas.ts';

type By = { actorId: string };

/** Adds a model to a channel whose protocol speaks its endpoint. */
export async function createModel(
  deps: Pick<Deps, 'db' | 'newId' | 'providers'>,
  { actorId, ...input }: CreateModelInput & By,
): Promise<{ modelId: string }> {
  await requireTarget(deps.db, deps.providers, input);
  const modelId = deps.newId();
  try {
    await deps.db.transaction(async (tx) => {
      await insertModels(tx, [{ ...input, id: modelId }]);
      await recordAudit(tx, { actorId, action: 'model.create', subjectId: modelId, data: input });
    });
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
  { modelId, actorId, ...set }: UpdateModelInput & By,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const model = await lockModel(tx, modelId);
    if (!model) throw noSuchModel();
    const price = set.price ?? model.price;
    const parameters = set.parameters ?? model.parameters;
    if (price.unit === 'second' && !('seconds' in parameters)) {
      throw new AppError('unprocessable', 'A price per second needs a parameter named "seconds".', {
        field: 'price',
      });
    }
    const candidates = (await listCandidates(tx, [modelId])).get(modelId) ?? [];
    const isCandidate = candidates.some(
      ({ channel, upstreamModel }) => channel.id === model.channelId && upstreamModel === set.upstreamModel,
    );
    if (isCandidate) {
      throw new AppError(
        'conflict',
        'A candidate of this model is the same upstream model. Remove it first.',
        {
          field: 'upstreamModel',
        },
      );
    }
    const changes = changesOf(model, set);
    if (Object.keys(changes).length === 0) return;
    await saveModel(tx, modelId, set);
    await recordAudit(tx, { actorId, action: 'model.update', subjectId: modelId, data: { changes } });
  });
}

/** Offers a model to users, or hides it from new tasks. */
export async function enableModel(
  deps: Pick<Deps, 'db'>,
  { modelId, enabled, actorId }: { modelId: string; enabled: boolean } & By,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const model = await lockModel(tx, modelId);
    if (!model) throw noSuchModel();
    if (model.enabled === enabled) return;
    await saveModel(tx, modelId, { enabled });
    const action = enabled ? 'model.enable' : 'model.disable';
    await recordAudit(tx, { actorId, action, subjectId: modelId });
  });
}

function changesOf(model: ModelRow, set: Partial<ModelRow>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(set).flatMap(([field, to]) => {
      const from = model[field as keyof ModelRow];
      return to === undefined || isDeepStrictEqual(from, to) ? [] : [[field, { from, to }]];
    }),
  );
}

function noSuchModel(): AppError {
  return new AppError('not_found', 'There is no such model.');
}
