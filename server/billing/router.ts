import { router, userProcedure } from '#server/trpc/init.ts';
import { readCredits, readLedger } from './read-credits.ts';
import { redeemCode } from './redeem/redeem-code.ts';
import { redeemInput } from './redeem/schemas.ts';
import { ledgerInput } from './schemas.ts';

export const billingRouter = router({
  balance: userProcedure
    .meta({ audience: 'user', scope: 'read' })
    .query(({ ctx }) => readCredits(ctx.deps, ctx.user.id)),
  ledger: userProcedure
    .meta({ audience: 'user', scope: 'read' })
    .input(ledgerInput)
    .query(({ ctx, input }) => readLedger(ctx.deps, { userId: ctx.user.id, ...input })),
  redeem: userProcedure
    .input(redeemInput)
    .mutation(({ ctx, input }) =>
      redeemCode(ctx.deps, { ...input, userId: ctx.user.id, limits: ctx.limits }),
    ),
});
