import { adminProcedure, router } from '#server/trpc/init.ts';
import { createBatch, revokeBatch, revokeBatches } from './manage-batches.ts';
import { readBatch, readBatches, readCodes } from './read-batches.ts';
import {
  batchCodesInput,
  batchesInput,
  batchIdInput,
  bulkRevokeInput,
  createBatchInput,
  revokeBatchInput,
} from './schemas.ts';

export const adminRedeemRouter = router({
  list: adminProcedure
    .input(batchesInput.optional())
    .query(({ ctx, input }) => readBatches(ctx.deps, input ?? batchesInput.parse({}))),

  get: adminProcedure.input(batchIdInput).query(({ ctx, input }) => readBatch(ctx.deps, input.batchId)),

  /** Page by page; up to 1,000 codes a page for an export. */
  codes: adminProcedure.input(batchCodesInput).query(({ ctx, input }) => readCodes(ctx.deps, input)),

  create: adminProcedure
    .input(createBatchInput)
    .mutation(({ ctx, input }) => createBatch(ctx.deps, { ...input, adminId: ctx.user.id })),

  revoke: adminProcedure.input(revokeBatchInput).mutation(async ({ ctx, input }) => {
    await revokeBatch(ctx.deps, { ...input, adminId: ctx.user.id });
    return { ok: true };
  }),

  revokeMany: adminProcedure
    .input(bulkRevokeInput)
    .mutation(({ ctx, input }) => revokeBatches(ctx.deps, { ...input, adminId: ctx.user.id })),
});
