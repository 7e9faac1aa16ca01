import { closeSession } from '#server/auth/sessions.ts';
import { router, userProcedure } from '#server/trpc/init.ts';
import { closeAccount } from './close-account.ts';
import { exportAccount } from './export-account.ts';
import { readKeeping } from './read-keeping.ts';
import { closeAccountInput, outputRetentionInput } from './schemas.ts';
import { setOutputRetention } from './set-output-retention.ts';

/** The account itself: what is kept, everything of it as a download, and its end. Browser sessions only. */
export const accountRouter = router({
  keeping: userProcedure.query(({ ctx }) => readKeeping(ctx.deps, ctx.user.id)),

  setOutputRetention: userProcedure
    .input(outputRetentionInput)
    .mutation(({ ctx, input }) => setOutputRetention(ctx.deps, { userId: ctx.user.id, days: input.days })),

  /** Pieces of one JSON text, for the download page. */
  exportData: userProcedure.query(({ ctx }) => exportAccount(ctx.deps, ctx.user.id)),

  close: userProcedure.input(closeAccountInput).mutation(async ({ ctx, input }) => {
    const { deps, limits, user } = ctx;
    await closeAccount(deps, { userId: user.id, password: input.password, limits });
    const { cookie } = await closeSession(deps, undefined);
    ctx.setCookie(cookie);
    return { closed: true };
  }),
});
