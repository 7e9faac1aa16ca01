import { isDeepStrictEqual } from 'node:util';
import { recordAudit } from '#server/audit/record-audit.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import {
  findModelKind,
  insertModels,
  listCandidates,
  lockKind,
  lockModel,
  type ModelRow,
  saveModel,
} from './model-queries.ts';
import { requireTarget } from './model-targets.ts';
import { type CreateModelInput, costProblem, priceProblem, type UpdateModelInput } from './models/schemas.ts';

type By = { actorId: string };

/** Room to place a model between two others by hand. */
const POSITION_STEP = 10;

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
    const problem = priceProblem(set.price ?? model.price, set.parameters ?? model.parameters);
    if (problem) throw new AppError('unprocessable', problem, { field: 'price' });
    const cost = set.cost === undefined ? model.cost : set.cost;
    const costly = cost && costProblem(cost, set.parameters ?? model.parameters);
    if (costly) throw new AppError('unprocessable', costly, { field: 'cost' });
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

/**
 * Moves a model one place up or down among those of its kind, by numbering them anew: positions may be equal, or have
 * gaps. At the end of the list it does nothing.
 */
export async function moveModel(
  deps: Pick<Deps, 'db'>,
  { modelId, direction, actorId }: { modelId: string; direction: 'up' | 'down' } & By,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const kind = await findModelKind(tx, modelId);
    if (!kind) throw noSuchModel();
    const listed = await lockKind(tx, kind);
    const from = listed.findIndex(({ id }) => id === modelId);
    const to = direction === 'up' ? from - 1 : from + 1;
    const [one, other] = [listed[from], listed[to]];
    if (!one || !other) return;
    const moved = listed.with(from, other).with(to, one);
    for (const [index, { id, sortOrder }] of moved.entries()) {
      const position = (index + 1) * POSITION_STEP;
      if (sortOrder !== position) await saveModel(tx, id, { sortOrder: position });
    }
    await recordAudit(tx, { actorId, action: 'model.move', subjectId: modelId, data: { direction } });
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
