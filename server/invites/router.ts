import { publicProcedure, router, userProcedure } from '#server/trpc/init.ts';
import { bindInvite } from './bind-invite.ts';
import { readLanding, readMyInvites } from './read-invites.ts';
import { inviteCodeInput } from './schemas.ts';

export const invitesRouter = router({
  mine: userProcedure.query(({ ctx }) => readMyInvites(ctx.deps, ctx.user.id)),

  bind: userProcedure
    .input(inviteCodeInput)
    .mutation(({ ctx, input }) => bindInvite(ctx.deps, { ...input, userId: ctx.user.id })),

  landing: publicProcedure.input(inviteCodeInput).query(({ ctx, input }) => readLanding(ctx.deps, input)),
});
