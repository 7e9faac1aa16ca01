import { adminProcedure, router } from '#server/trpc/init.ts';
import { readInvites } from './read-invites.ts';
import { adminInvitesInput, voidInvitesInput } from './schemas.ts';
import { voidInvites } from './void-invites.ts';

export const adminInvitesRouter = router({
  list: adminProcedure
    .input(adminInvitesInput.optional())
    .query(({ ctx, input }) => readInvites(ctx.deps, input ?? adminInvitesInput.parse({}))),

  voidMany: adminProcedure
    .input(voidInvitesInput)
    .mutation(({ ctx, input }) => voidInvites(ctx.deps, { ...input, actorId: ctx.user.id })),
});
