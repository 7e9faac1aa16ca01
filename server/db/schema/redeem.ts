import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, int8, moment, primaryId } from './columns.ts';
import { users } from './users.ts';

/** Codes made together, under one set of conditions. */
export const redeemBatches = pgTable(
  'redeem_batches',
  {
    id: primaryId(),
    title: text('title').notNull(),
    /** Per code. */
    credits: int8('credits').notNull(),
    codeCount: integer('code_count').notNull(),
    /** Until when codes are taken; null: always. */
    expiresAt: moment('expires_at'),
    /** The credits expire so many days after they were redeemed; null: never. */
    validDays: integer('valid_days'),
    /** One code of this batch per user. */
    oncePerUser: boolean('once_per_user').notNull().default(false),
    createdBy: uuid('created_by')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    createdAt: createdAt(),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    check('redeem_batches_credits', sql`${t.credits} between 1 and 1000000000`),
    check('redeem_batches_count', sql`${t.codeCount} between 1 and 10000`),
    check('redeem_batches_valid_days', sql`${t.validDays} between 1 and 3650`),
  ],
);

/** Single-use codes, as the person gets them but without dashes. */
export const redeemCodes = pgTable(
  'redeem_codes',
  {
    id: primaryId(),
    batchId: uuid('batch_id')
      .notNull()
      .references(() => redeemBatches.id, { onDelete: 'restrict' }),
    code: text('code').notNull(),
    redeemedBy: uuid('redeemed_by').references(() => users.id, { onDelete: 'restrict' }),
    redeemedAt: moment('redeemed_at'),
    /** `redeemed_by` where the batch gives one code per user: unique with the batch. */
    onceFor: uuid('once_for'),
  },
  (t) => [
    uniqueIndex('redeem_codes_code_key').on(t.code),
    uniqueIndex('redeem_codes_once_key').on(t.batchId, t.onceFor).where(sql`${t.onceFor} is not null`),
    index('redeem_codes_batch_idx').on(t.batchId, t.id),
    check('redeem_codes_redeemed', sql`(${t.redeemedAt} is null) = (${t.redeemedBy} is null)`),
  ],
);
