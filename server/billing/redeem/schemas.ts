import { z } from 'zod';
import { moneyReason } from '#server/billing/schemas.ts';
import { bulkIds, listCursor, listDays, listIds, listLimit, listSearch } from '#server/lib/schemas.ts';

/** Inputs and views of redeem codes. Isomorphic: imports zod and contracts only. */

export const redeemInput = z.object({
  /** Dashes, spaces and letter case do not matter. */
  code: z.string('Enter a code.').trim().min(1, 'Enter a code.').max(60, 'A code is shorter than this.'),
});

export type Redeemed = {
  credits: number;
  /** When what is left of them expires; null: never. */
  expiresAt: Date | null;
  title: string;
  /** How many of them went straight into debts. */
  paidDebtCredits: number;
  /** True: this person had redeemed this code before, and nothing moved now. */
  repeated: boolean;
};

const credits = z
  .number('Enter a whole number of credits.')
  .int('Enter a whole number of credits.')
  .min(1, 'At least 1 credit.')
  .max(1_000_000_000, 'At most 1,000,000,000 credits.');

export const createBatchInput = z.object({
  title: z.string('Name the batch.').trim().min(1, 'Name the batch.').max(120, 'At most 120 characters.'),
  credits,
  codeCount: z
    .number('Enter how many codes.')
    .int('Enter a whole number.')
    .min(1, 'At least 1 code.')
    .max(10_000, 'At most 10,000 codes per batch.'),
  /** Codes are taken until then; null: always. */
  expiresAt: z.date('Enter a moment.').nullable().default(null),
  validDays: z
    .number()
    .int()
    .min(1, 'At least 1 day.')
    .max(3_650, 'At most 3,650 days.')
    .nullable()
    .default(null),
  oncePerUser: z.boolean().default(false),
  /** The form sent twice makes one batch. */
  key: z.uuid('The form is out of date. Reload the page.'),
});
export type CreateBatchInput = z.infer<typeof createBatchInput>;

export const batchIdInput = z.object({ batchId: z.uuid('This is not a batch id.') });
/** Its codes are taken no more; what was redeemed stays. */
export const revokeBatchInput = batchIdInput.extend({ reason: moneyReason });
export const bulkRevokeInput = z.object({ batchIds: bulkIds, reason: moneyReason });
export const BATCH_STATES = ['open', 'used_up', 'expired', 'revoked'] as const;
export const batchesInput = listDays.extend({
  state: z.enum(BATCH_STATES).optional(),
  /** Part of the title. */
  search: listSearch,
  sort: z.enum(['made', 'credits', 'codes']).default('made'),
  order: z.enum(['asc', 'desc']).default('desc'),
  cursor: listCursor.optional(),
  limit: listLimit,
  ids: listIds,
});
export type BatchesInput = z.infer<typeof batchesInput>;
export const batchCodesInput = batchIdInput.extend({
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(1_000).default(50),
});

export type BatchView = {
  id: string;
  title: string;
  credits: number;
  codeCount: number;
  redeemedCount: number;
  expiresAt: Date | null;
  validDays: number | null;
  oncePerUser: boolean;
  createdAt: Date;
  revokedAt: Date | null;
  state: (typeof BATCH_STATES)[number];
};
export type BatchPage = { items: BatchView[]; nextCursor: string | null };

export type CodeView = {
  id: string;
  /** With dashes, as people get it. */
  code: string;
  redeemedBy: string | null;
  redeemedByEmail: string | null;
  redeemedAt: Date | null;
};
export type CodePage = { items: CodeView[]; nextCursor: string | null };
