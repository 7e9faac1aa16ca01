import { adminProcedure, router } from '#server/trpc/init.ts';
import { closeOrder, closeOrders } from './cancel-order.ts';
import { endDispute } from './end-dispute.ts';
import { readPacks, savePack } from './packs.ts';
import {
  readAdminOrder,
  readAdminOrderPage,
  readMismatches,
  readPaymentRefunds,
} from './read-admin-orders.ts';
import { refundOrder } from './refund-order.ts';
import { resolveMismatch } from './resolve-mismatch.ts';
import { resolveRefund, retryRefund, runPaymentRefundDeeds } from './resolve-refund.ts';
import {
  adminOrdersInput,
  bulkCloseOrdersInput,
  bulkPaymentRefundsInput,
  closeOrderInput,
  endDisputeInput,
  orderIdInput,
  paymentRefundsInput,
  refundIdInput,
  refundOrderInput,
  resolveMismatchInput,
  resolvePaymentRefundInput,
  savePackInput,
} from './schemas.ts';

export const adminOrdersRouter = router({
  list: adminProcedure
    .input(adminOrdersInput.optional())
    .query(({ ctx, input }) => readAdminOrderPage(ctx.deps, input ?? adminOrdersInput.parse({}))),

  get: adminProcedure.input(orderIdInput).query(({ ctx, input }) => readAdminOrder(ctx.deps, input.orderId)),

  close: adminProcedure.input(closeOrderInput).mutation(async ({ ctx, input }) => {
    await closeOrder(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  closeMany: adminProcedure
    .input(bulkCloseOrdersInput)
    .mutation(({ ctx, input }) => closeOrders(ctx.deps, { ...input, actorId: ctx.user.id })),

  refund: adminProcedure
    .input(refundOrderInput)
    .mutation(({ ctx, input }) => refundOrder(ctx.deps, { ...input, actorId: ctx.user.id })),

  endDispute: adminProcedure.input(endDisputeInput).mutation(async ({ ctx, input }) => {
    await endDispute(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  refunds: adminProcedure
    .input(paymentRefundsInput.optional())
    .query(({ ctx, input }) => readPaymentRefunds(ctx.deps, input ?? paymentRefundsInput.parse({}))),

  retryRefund: adminProcedure.input(refundIdInput).mutation(async ({ ctx, input }) => {
    await retryRefund(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  resolveRefund: adminProcedure.input(resolvePaymentRefundInput).mutation(async ({ ctx, input }) => {
    await resolveRefund(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  bulkRefunds: adminProcedure
    .input(bulkPaymentRefundsInput)
    .mutation(({ ctx, input }) => runPaymentRefundDeeds(ctx.deps, { ...input, actorId: ctx.user.id })),

  mismatches: adminProcedure.query(({ ctx }) => readMismatches(ctx.deps)),

  resolveMismatch: adminProcedure.input(resolveMismatchInput).mutation(async ({ ctx, input }) => {
    await resolveMismatch(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  packs: adminProcedure.query(({ ctx }) => readPacks(ctx.deps)),

  savePack: adminProcedure
    .input(savePackInput)
    .mutation(({ ctx, input }) => savePack(ctx.deps, { ...input, actorId: ctx.user.id })),
});
