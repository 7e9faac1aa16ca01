import { adminProcedure, router } from '#server/trpc/init.ts';
import { createModel, enableModel, updateModel } from './manage-models.ts';
import { listModels } from './model-queries.ts';
import { createModelInput, enableModelInput, updateModelInput } from './schemas.ts';

/** Models for administrators; users choose from `generation.models`. */
export const modelsRouter = router({
  list: adminProcedure.query(({ ctx }) => listModels(ctx.deps.db)),
  create: adminProcedure.input(createModelInput).mutation(({ ctx, input }) => createModel(ctx.deps, input)),
  update: adminProcedure.input(updateModelInput).mutation(({ ctx, input }) => updateModel(ctx.deps, input)),
  enable: adminProcedure.input(enableModelInput).mutation(({ ctx, input }) => enableModel(ctx.deps, input)),
});
