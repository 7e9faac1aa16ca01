import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { recordAudit } from '#server/audit/record-audit.ts';
import type { DbOrTx } from '#server/db/client.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import {
  deleteCandidate,
  insertCandidate,
  listCandidates,
  lockModel,
  type ModelRow,
  numberCandidates,
  saveCandidateCost,
} from './model-queries.ts';
import { requireTarget } from './model-targets.ts';
import {
  type AddCandidateInput,
  type CandidateView,
  type candidateCostInput,
  costProblem,
  MAX_CANDIDATES,
} from './models/schemas.ts';

type By = { actorId: string };

/** The further candidates of a model, in the order in which they are tried. */
export async function readCandidates(deps: Pick<Deps, 'db'>, modelId: string): Promise<CandidateView[]> {
  return (await listCandidates(deps.db, [modelId])).get(modelId) ?? [];
}

/** Adds a further account to a model, as the last one to be tried. */
export async function addCandidate(
  deps: Pick<Deps, 'db' | 'newId' | 'providers'>,
  { actorId, ...input }: AddCandidateInput & By,
): Promise<{ candidateId: string }> {
  const { modelId, channelId, upstreamModel } = input;
  const candidateId = deps.newId();
  try {
    await change(deps, modelId, async (tx, model, candidates) => {
      await requireTarget(tx, deps.providers, { ...input, kind: model.kind });
      const problem = input.cost && costProblem(input.cost, model.parameters);
      if (problem) throw new AppError('unprocessable', problem, { field: 'cost' });
      if (channelId === model.channelId && upstreamModel === model.upstreamModel) throw isThereAlready();
      if (candidates.length >= MAX_CANDIDATES) {
        throw new AppError('conflict', `A model has at most ${MAX_CANDIDATES} candidates. Remove one first.`);
      }
      const priority = candidates.length + 1;
      await insertCandidate(tx, { ...input, id: candidateId, priority });
      await recordAudit(tx, {
        actorId,
        action: 'model.add_candidate',
        subjectId: modelId,
        data: { ...input, candidateId, priority },
      });
    });
  } catch (error) {
    if (isUniqueViolation(error, 'model_candidates_target_key')) throw isThereAlready();
    throw error;
  }
  return { candidateId };
}

/** Takes a candidate away; those behind it move up. Submitted tasks keep it. */
export async function removeCandidate(
  deps: Pick<Deps, 'db'>,
  { modelId, candidateId, actorId }: { modelId: string; candidateId: string } & By,
): Promise<void> {
  await change(deps, modelId, async (tx, _model, candidates) => {
    const gone = candidates.find(({ id }) => id === candidateId);
    if (!gone) throw new AppError('not_found', 'This candidate is not there any more. Reload the page.');
    await deleteCandidate(tx, modelId, candidateId);
    const left = candidates.filter((candidate) => candidate !== gone).map(({ id }) => id);
    await numberCandidates(tx, modelId, left, MAX_CANDIDATES);
    await recordAudit(tx, {
      actorId,
      action: 'model.remove_candidate',
      subjectId: modelId,
      data: { candidateId, channelId: gone.channel.id, upstreamModel: gone.upstreamModel },
    });
  });
}

/** Says what upstream takes on a candidate's account, for what is sent from now on. */
export async function setCandidateCost(
  deps: Pick<Deps, 'db'>,
  { modelId, candidateId, cost, actorId }: z.output<typeof candidateCostInput> & By,
): Promise<void> {
  await change(deps, modelId, async (tx, model, candidates) => {
    const candidate = candidates.find(({ id }) => id === candidateId);
    if (!candidate) throw new AppError('not_found', 'This candidate is not there any more. Reload the page.');
    const problem = cost && costProblem(cost, model.parameters);
    if (problem) throw new AppError('unprocessable', problem, { field: 'cost' });
    if (isDeepStrictEqual(candidate.cost, cost)) return;
    await saveCandidateCost(tx, candidateId, cost);
    await recordAudit(tx, {
      actorId,
      action: 'model.candidate_cost',
      subjectId: modelId,
      data: { candidateId, from: candidate.cost, to: cost },
    });
  });
}

/** Puts all candidates of a model in a new order. */
export async function reorderCandidates(
  deps: Pick<Deps, 'db'>,
  { modelId, candidateIds, actorId }: { modelId: string; candidateIds: string[] } & By,
): Promise<void> {
  await change(deps, modelId, async (tx, _model, candidates) => {
    const known = candidates.map(({ id }) => id);
    if (known.toSorted().join() !== candidateIds.toSorted().join()) {
      throw new AppError('conflict', 'The candidates were changed meanwhile. Reload the page and try again.');
    }
    if (known.join() === candidateIds.join()) return;
    await numberCandidates(tx, modelId, candidateIds, MAX_CANDIDATES);
    await recordAudit(tx, {
      actorId,
      action: 'model.reorder_candidates',
      subjectId: modelId,
      data: { from: known, to: candidateIds },
    });
  });
}

/** Runs a change of a model's candidates with the model locked, so that changes queue up and see each other. */
async function change(
  deps: Pick<Deps, 'db'>,
  modelId: string,
  work: (tx: DbOrTx, model: ModelRow, candidates: CandidateView[]) => Promise<void>,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const model = await lockModel(tx, modelId);
    if (!model) throw new AppError('not_found', 'There is no such model.');
    await work(tx, model, (await listCandidates(tx, [modelId])).get(modelId) ?? []);
  });
}

function isThereAlready(): AppError {
  return new AppError('conflict', 'This model tries that upstream model on that channel already.', {
    field: 'upstreamModel',
  });
}
