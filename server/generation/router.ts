import { z } from 'zod';
import { router, userProcedure } from '#server/trpc/init.ts';
import { cancelAllTasks } from './cancel-all-tasks.ts';
import { cancelTask } from './cancel-task.ts';
import { quoteTask, readModels, readTask, readTaskPage, readTaskViews } from './read-tasks.ts';
import { retryTask } from './retry-task.ts';
import { listInput, quoteInput, requestKey, submitInput, taskId, watchInput } from './schemas.ts';
import { submitTask } from './submit-task.ts';
import { watchTasks } from './watch-tasks.ts';

const reads = userProcedure.meta({ audience: 'user', scope: 'read' });
const submits = userProcedure.meta({ audience: 'user', scope: 'submit' });
const cancels = userProcedure.meta({ audience: 'user', scope: 'cancel' });

export const generationRouter = router({
  models: reads.query(({ ctx }) => readModels(ctx.deps)),

  quote: reads
    .input(quoteInput)
    .query(({ ctx, input }) => quoteTask(ctx.deps, { ...input, userId: ctx.user.id })),

  submit: submits.input(submitInput).mutation(async ({ ctx, input }) => {
    const submitted = await submitTask(ctx.deps, { ...input, userId: ctx.user.id });
    if (submitted.created) ctx.executor.kick([submitted.taskId]);
    return submitted;
  }),

  get: reads.input(z.object({ taskId })).query(({ ctx, input }) => {
    ctx.executor.pushUser(ctx.user.id);
    return readTask(ctx.deps, { ...input, userId: ctx.user.id });
  }),

  list: reads
    .input(listInput.optional())
    .query(({ ctx, input }) =>
      readTaskPage(ctx.deps, { ...(input ?? listInput.parse({})), userId: ctx.user.id }),
    ),

  /** The given tasks as they are now; what a page asks for when the stream of `watch` is broken. */
  peek: reads.input(watchInput).query(({ ctx, input }) => {
    ctx.executor.pushUser(ctx.user.id);
    return readTaskViews(ctx.deps, { ...input, userId: ctx.user.id });
  }),

  watch: reads.input(watchInput).subscription(({ ctx, input, signal }) =>
    watchTasks(ctx.deps, ctx.executor, {
      ...input,
      userId: ctx.user.id,
      signal,
      isStillOpen: ctx.isStillOpen,
    }),
  ),

  cancel: cancels.input(z.object({ taskId })).mutation(async ({ ctx, input }) => {
    const answer = await cancelTask(ctx.deps, { ...input, userId: ctx.user.id });
    ctx.executor.kick([input.taskId]);
    return { answer };
  }),

  cancelAll: cancels.mutation(async ({ ctx }) => {
    const { taskIds, ...answers } = await cancelAllTasks(ctx.deps, { userId: ctx.user.id });
    ctx.executor.kick(taskIds);
    return answers;
  }),

  retry: submits.input(z.object({ taskId, requestKey })).mutation(async ({ ctx, input }) => {
    const submitted = await retryTask(ctx.deps, { ...input, userId: ctx.user.id });
    if (submitted.created) ctx.executor.kick([submitted.taskId]);
    return submitted;
  }),
});
