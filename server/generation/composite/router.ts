import { router, userProcedure } from '#server/trpc/init.ts';
import { pauseComposite, resumeComposite, stopComposite } from './control-composite.ts';
import { compositeTaskInput } from './schemas.ts';

const cancels = userProcedure.meta({ audience: 'user', scope: 'cancel' }).input(compositeTaskInput);
const submits = userProcedure.meta({ audience: 'user', scope: 'submit' }).input(compositeTaskInput);

/** What agents and dramas have in common; `generation.cancel` cancels them. */
export const compositesRouter = router({
  pause: cancels.mutation(async ({ ctx, input }) => {
    await pauseComposite(ctx.deps, { ...input, userId: ctx.user.id });
    ctx.executor.kick([input.taskId]);
    return { ok: true };
  }),

  resume: submits.mutation(async ({ ctx, input }) => {
    await resumeComposite(ctx.deps, { ...input, userId: ctx.user.id });
    ctx.executor.kick([input.taskId]);
    return { ok: true };
  }),

  stop: cancels.mutation(async ({ ctx, input }) => {
    await stopComposite(ctx.deps, { ...input, userId: ctx.user.id });
    ctx.executor.kick([input.taskId]);
    return { ok: true };
  }),
});
