import { z } from 'zod';
import { router, userProcedure } from '#server/trpc/init.ts';
import { taskId } from '../schemas.ts';
import { decideStep } from './decide-step.ts';
import { quoteAgent } from './quote-agent.ts';
import { readAgent } from './read-agent.ts';
import { agentDecisionInput, agentInput, agentQuoteInput } from './schemas.ts';
import { submitAgent } from './submit-agent.ts';

const reads = userProcedure.meta({ audience: 'user', scope: 'read' });
const submits = userProcedure.meta({ audience: 'user', scope: 'submit' });

export const agentsRouter = router({
  quote: reads
    .input(agentQuoteInput)
    .query(({ ctx, input }) => quoteAgent(ctx.deps, { ...input, userId: ctx.user.id })),

  submit: submits.input(agentInput).mutation(async ({ ctx, input }) => {
    const submitted = await submitAgent(ctx.deps, { ...input, userId: ctx.user.id });
    if (submitted.created) ctx.executor.kick([submitted.taskId]);
    return submitted;
  }),

  get: reads.input(z.object({ taskId })).query(({ ctx, input }) => {
    ctx.executor.pushUser(ctx.user.id);
    return readAgent(ctx.deps, { ...input, userId: ctx.user.id });
  }),

  /** Approves, edits, rejects or answers what waits for the user. */
  decide: submits.input(agentDecisionInput).mutation(async ({ ctx, input }) => {
    await decideStep(ctx.deps, { ...input, userId: ctx.user.id });
    ctx.executor.kick([input.taskId]);
    return { ok: true };
  }),
});
