import { z } from 'zod';
import { router, userProcedure } from '#server/trpc/init.ts';
import { taskId } from '../schemas.ts';
import { decideFailedParts } from './decide-failed-parts.ts';
import { savePlan, startShots } from './edit-plan.ts';
import { quoteDrama } from './quote-drama.ts';
import { readDrama } from './read-drama.ts';
import { readDramaDocument } from './read-drama-document.ts';
import { redoDrama } from './redo-drama.ts';
import {
  dramaFailedInput,
  dramaInput,
  dramaPlanInput,
  dramaQuoteInput,
  dramaRedoInput,
  dramaStartInput,
} from './schemas.ts';
import { submitDrama } from './submit-drama.ts';

const reads = userProcedure.meta({ audience: 'user', scope: 'read' });
const submits = userProcedure.meta({ audience: 'user', scope: 'submit' });

export const dramasRouter = router({
  quote: reads
    .input(dramaQuoteInput)
    .query(({ ctx, input }) => quoteDrama(ctx.deps, { ...input, userId: ctx.user.id })),

  submit: submits.input(dramaInput).mutation(async ({ ctx, input }) => {
    const submitted = await submitDrama(ctx.deps, { ...input, userId: ctx.user.id });
    if (submitted.created) ctx.executor.kick([submitted.taskId]);
    return submitted;
  }),

  get: reads.input(z.object({ taskId })).query(({ ctx, input }) => {
    ctx.executor.pushUser(ctx.user.id);
    return readDrama(ctx.deps, { ...input, userId: ctx.user.id });
  }),

  savePlan: submits
    .input(dramaPlanInput)
    .mutation(({ ctx, input }) => savePlan(ctx.deps, { ...input, userId: ctx.user.id })),

  start: submits.input(dramaStartInput).mutation(async ({ ctx, input }) => {
    const started = await startShots(ctx.deps, { ...input, userId: ctx.user.id });
    ctx.executor.kick([input.taskId]);
    return started;
  }),

  failedParts: submits.input(dramaFailedInput).mutation(async ({ ctx, input }) => {
    await decideFailedParts(ctx.deps, { ...input, userId: ctx.user.id });
    ctx.executor.kick([input.taskId]);
  }),

  redo: submits.input(dramaRedoInput).mutation(async ({ ctx, input }) => {
    const submitted = await redoDrama(ctx.deps, { ...input, userId: ctx.user.id });
    if (submitted.created) ctx.executor.kick([submitted.taskId]);
    return submitted;
  }),

  readDocument: reads
    .input(z.object({ uploadId: z.uuid('This is not an upload id.') }))
    .mutation(({ ctx, input }) => readDramaDocument(ctx.deps, { ...input, userId: ctx.user.id })),
});
