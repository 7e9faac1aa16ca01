import { adminProcedure, router } from '#server/trpc/init.ts';
import { adjustCredits } from './adjust-credits.ts';
import { readAudit } from './audit.ts';
import { readCostGuardView, setCostGuard } from './cost-guard.ts';
import { findUsers, readUserMoney } from './find-users.ts';
import { readRefunds, retryRefund, runRefundDeeds, voidRefund } from './manage-refunds.ts';
import { readDailySummary } from './read-daily-summary.ts';
import {
  adjustInput,
  bulkRefundsInput,
  costGuardInput,
  dailySummaryInput,
  findUsersInput,
  refundsInput,
  retryRefundInput,
  userMoneyInput,
  voidRefundInput,
} from './schemas.ts';

export const adminBillingRouter = router({
  findUsers: adminProcedure
    .input(findUsersInput.optional())
    .query(({ ctx, input }) => findUsers(ctx.deps, input ?? findUsersInput.parse({}))),

  userMoney: adminProcedure.input(userMoneyInput).query(({ ctx, input }) => readUserMoney(ctx.deps, input)),

  adjust: adminProcedure
    .input(adjustInput)
    .mutation(({ ctx, input }) => adjustCredits(ctx.deps, { ...input, operatorId: ctx.user.id })),

  refunds: adminProcedure
    .input(refundsInput.optional())
    .query(({ ctx, input }) => readRefunds(ctx.deps, input ?? refundsInput.parse({}))),

  retryRefund: adminProcedure.input(retryRefundInput).mutation(async ({ ctx, input }) => {
    await retryRefund(ctx.deps, { ...input, operatorId: ctx.user.id });
    return { ok: true };
  }),

  bulkRefunds: adminProcedure
    .input(bulkRefundsInput)
    .mutation(({ ctx, input }) => runRefundDeeds(ctx.deps, { ...input, operatorId: ctx.user.id })),

  voidRefund: adminProcedure.input(voidRefundInput).mutation(async ({ ctx, input }) => {
    await voidRefund(ctx.deps, { ...input, operatorId: ctx.user.id });
    return { ok: true };
  }),

  costGuard: adminProcedure.query(({ ctx }) => readCostGuardView(ctx.deps)),

  setCostGuard: adminProcedure.input(costGuardInput).mutation(async ({ ctx, input }) => {
    await setCostGuard(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  audit: adminProcedure.query(({ ctx }) => readAudit(ctx.deps)),

  dailySummary: adminProcedure
    .input(dailySummaryInput.optional())
    .query(({ ctx, input }) => readDailySummary(ctx.deps, input ?? dailySummaryInput.parse({}))),
});
