import { z } from 'zod';
import { adminProcedure, router } from '#server/trpc/init.ts';
import { runTaskDeeds } from './admin/bulk-tasks.ts';
import { explainTask } from './admin/explain-task.ts';
import { adminTasksInput, bulkTasksInput, explainInput } from './admin/schemas.ts';
import { readAdminTask, readAdminTaskPage, readTaskChoices } from './read-admin-tasks.ts';
import { readAttention } from './read-attention.ts';
import { recoverTask, resolveTask } from './resolve-task.ts';
import { recoverInput, resolveInput, taskId } from './schemas.ts';

export const adminTasksRouter = router({
  list: adminProcedure
    .input(adminTasksInput.optional())
    .query(({ ctx, input }) => readAdminTaskPage(ctx.deps, input ?? adminTasksInput.parse({}))),

  choices: adminProcedure.query(({ ctx }) => readTaskChoices(ctx.deps)),

  get: adminProcedure
    .input(z.object({ taskId }))
    .query(({ ctx, input }) => readAdminTask(ctx.deps, input.taskId)),

  /** Why it is claimed now, or is not. */
  explain: adminProcedure.input(explainInput).query(({ ctx, input }) => explainTask(ctx.deps, input.taskId)),

  bulk: adminProcedure.input(bulkTasksInput).mutation(async ({ ctx, input }) => {
    const report = await runTaskDeeds(ctx.deps, { ...input, operatorId: ctx.user.id });
    ctx.executor.kick(input.taskIds);
    return report;
  }),

  resolve: adminProcedure.input(resolveInput).mutation(async ({ ctx, input }) => {
    await resolveTask(ctx.deps, { ...input, operatorId: ctx.user.id });
    ctx.executor.kick([input.taskId]);
    return { ok: true };
  }),

  recover: adminProcedure.input(recoverInput).mutation(async ({ ctx, input }) => {
    await recoverTask(ctx.deps, { ...input, operatorId: ctx.user.id });
    return { ok: true };
  }),

  attention: adminProcedure.query(({ ctx }) => readAttention(ctx.deps)),
});
