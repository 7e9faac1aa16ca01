import { z } from 'zod';
import { adminProcedure, router } from '#server/trpc/init.ts';
import { readAdminTask, readAdminTaskPage } from './read-admin-tasks.ts';
import { readAttention } from './read-attention.ts';
import { recoverTask, resolveTask } from './resolve-task.ts';
import { adminListInput, recoverInput, resolveInput, taskId } from './schemas.ts';

export const adminTasksRouter = router({
  list: adminProcedure
    .input(adminListInput.optional())
    .query(({ ctx, input }) => readAdminTaskPage(ctx.deps, input ?? adminListInput.parse({}))),

  get: adminProcedure
    .input(z.object({ taskId }))
    .query(({ ctx, input }) => readAdminTask(ctx.deps, input.taskId)),

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
