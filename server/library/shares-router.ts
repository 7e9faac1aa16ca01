import { publicProcedure, router, userProcedure } from '#server/trpc/init.ts';
import { openShare } from './open-share.ts';
import { createShareInput, shareIdInput, shareListInput, shareTokenInput } from './schemas.ts';
import { createShare, listShareLinks, revokeShare } from './share-links.ts';

/** Addresses under which anyone may see one file. */
export const sharesRouter = router({
  list: userProcedure
    .meta({ audience: 'user', scope: 'read' })
    .input(shareListInput.optional())
    .query(({ ctx, input }) =>
      listShareLinks(ctx.deps, { ...(input ?? shareListInput.parse({})), userId: ctx.user.id }),
    ),

  create: userProcedure
    .input(createShareInput)
    .mutation(({ ctx, input }) => createShare(ctx.deps, { ...input, userId: ctx.user.id })),

  revoke: userProcedure
    .input(shareIdInput)
    .mutation(({ ctx, input }) => revokeShare(ctx.deps, { ...input, userId: ctx.user.id })),

  /** A mutation, for it counts the view. */
  open: publicProcedure.input(shareTokenInput).mutation(async ({ ctx, input }) => {
    await ctx.limits?.consume('share', ctx.clientAddress);
    const viewerId = ctx.identity.type === 'session' ? ctx.identity.user.id : undefined;
    return openShare(ctx.deps, { ...input, viewerId });
  }),
});
