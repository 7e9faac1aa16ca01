import { adminProcedure, router } from '#server/trpc/init.ts';
import {
  addCandidate,
  readCandidates,
  removeCandidate,
  reorderCandidates,
  setCandidateCost,
} from './manage-candidates.ts';
import { createModel, enableModel, moveModel, updateModel } from './manage-models.ts';
import { listModels } from './model-queries.ts';
import {
  addCandidateInput,
  candidateCostInput,
  candidateInput,
  createModelInput,
  enableModelInput,
  modelInput,
  moveModelInput,
  reorderCandidatesInput,
  updateModelInput,
} from './models/schemas.ts';

/** Accounts that are tried after a model's own channel. */
const candidatesRouter = router({
  list: adminProcedure.input(modelInput).query(({ ctx, input }) => readCandidates(ctx.deps, input.modelId)),
  add: adminProcedure
    .input(addCandidateInput)
    .mutation(({ ctx, input }) => addCandidate(ctx.deps, { ...input, actorId: ctx.user.id })),
  remove: adminProcedure
    .input(candidateInput)
    .mutation(({ ctx, input }) => removeCandidate(ctx.deps, { ...input, actorId: ctx.user.id })),
  setCost: adminProcedure
    .input(candidateCostInput)
    .mutation(({ ctx, input }) => setCandidateCost(ctx.deps, { ...input, actorId: ctx.user.id })),
  reorder: adminProcedure
    .input(reorderCandidatesInput)
    .mutation(({ ctx, input }) => reorderCandidates(ctx.deps, { ...input, actorId: ctx.user.id })),
});

/** Models for administrators; users choose from `generation.models`. */
export const modelsRouter = router({
  list: adminProcedure.query(({ ctx }) => listModels(ctx.deps.db)),
  create: adminProcedure
    .input(createModelInput)
    .mutation(({ ctx, input }) => createModel(ctx.deps, { ...input, actorId: ctx.user.id })),
  update: adminProcedure
    .input(updateModelInput)
    .mutation(({ ctx, input }) => updateModel(ctx.deps, { ...input, actorId: ctx.user.id })),
  enable: adminProcedure
    .input(enableModelInput)
    .mutation(({ ctx, input }) => enableModel(ctx.deps, { ...input, actorId: ctx.user.id })),
  move: adminProcedure
    .input(moveModelInput)
    .mutation(({ ctx, input }) => moveModel(ctx.deps, { ...input, actorId: ctx.user.id })),
  candidates: candidatesRouter,
});
