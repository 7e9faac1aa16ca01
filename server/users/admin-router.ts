import { adminProcedure, router } from '#server/trpc/init.ts';
import { readStanding, setDisabled, setDisabledOfMany, setLimits } from './manage-users.ts';
import { bulkDisabledInput, setDisabledInput, setLimitsInput, userIdInput } from './schemas.ts';

export const adminUsersRouter = router({
  get: adminProcedure.input(userIdInput).query(({ ctx, input }) => readStanding(ctx.deps, input.userId)),

  setDisabled: adminProcedure.input(setDisabledInput).mutation(async ({ ctx, input }) => {
    await setDisabled(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  setDisabledOfMany: adminProcedure
    .input(bulkDisabledInput)
    .mutation(({ ctx, input }) => setDisabledOfMany(ctx.deps, { ...input, actorId: ctx.user.id })),

  setLimits: adminProcedure.input(setLimitsInput).mutation(async ({ ctx, input }) => {
    await setLimits(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),
});
