import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  boolean,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { createdAt, int8, leaseColumns, moment, primaryId } from './columns.ts';
import { generationTasks } from './generation-tasks.ts';
import { users } from './users.ts';

/** Balance of a user in integer credits; changed only together with a ledger entry, by `postEntry`. */
export const creditAccounts = pgTable(
  'credit_accounts',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'restrict' }),
    balanceCredits: int8('balance_credits').notNull().default(0),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [check('credit_accounts_balance_range', sql`${t.balanceCredits} between 0 and 9000000000000000`)],
);

/**
 * Append-only: a trigger refuses update and delete. `key` makes every movement happen once. `task_id` has no foreign
 * key because the ledger outlives tasks.
 */
export const creditLedger = pgTable(
  'credit_ledger',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    kind: text('kind', {
      enum: [
        'grant',
        'purchase',
        'redeem',
        'reward',
        'hold',
        'return',
        'refund',
        'adjustment',
        'expire',
        'clawback',
        'reinstate',
        'debt_payment',
      ],
    }).notNull(),
    deltaCredits: int8('delta_credits').notNull(),
    balanceAfterCredits: int8('balance_after_credits').notNull(),
    key: text('key').notNull(),
    taskId: uuid('task_id'),
    /** The order that bought, or lost, these credits. No foreign key, for the same reason. */
    orderId: uuid('order_id'),
    /** False: written by a release that knew no buckets; the next movement of the user assigns it. */
    bucketed: boolean('bucketed').notNull().default(false),
    /** `user:<id>`, `operator:<id>`, `executor`, `refund-lane`, `payment:<provider>`, `invite-lane`, `cli`. */
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
    createdAt: moment('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    uniqueIndex('credit_ledger_key_key').on(t.key),
    index('credit_ledger_user_idx').on(t.userId, t.id),
    index('credit_ledger_task_idx').on(t.taskId),
    index('credit_ledger_order_idx').on(t.orderId).where(sql`${t.orderId} is not null`),
    index('credit_ledger_unbucketed_idx').on(t.userId, t.id).where(sql`not ${t.bucketed}`),
    index('credit_ledger_day_idx').on(t.createdAt),
    check('credit_ledger_moves', sql`${t.deltaCredits} <> 0`),
    check('credit_ledger_balance_range', sql`${t.balanceAfterCredits} >= 0`),
    check(
      'credit_ledger_kind_known',
      sql`${t.kind} in ('grant', 'purchase', 'redeem', 'reward', 'hold', 'return', 'refund', 'adjustment', 'expire', 'clawback', 'reinstate', 'debt_payment')`,
    ),
  ],
);

/**
 * Credits of one origin with one expiry. Σ remaining of a user = balance. Spent soonest expiry first; what expired is
 * never spent, and `expired_at` is set by the entry that takes the rest of it out of the balance.
 */
export const creditBuckets = pgTable(
  'credit_buckets',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    kind: text('kind', { enum: ['granted', 'purchased', 'promotional'] }).notNull(),
    remainingCredits: int8('remaining_credits').notNull(),
    /** Null: never. */
    expiresAt: moment('expires_at'),
    expiredAt: moment('expired_at'),
    orderId: uuid('order_id'),
    /** Credits that came back from a hold after this bucket had expired. */
    restoredFrom: uuid('restored_from').references((): AnyPgColumn => creditBuckets.id, {
      onDelete: 'restrict',
    }),
    createdAt: moment('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('credit_buckets_live_idx').on(t.userId, t.expiresAt, t.id).where(sql`${t.remainingCredits} > 0`),
    index('credit_buckets_expiry_idx')
      .on(t.expiresAt, t.id)
      .where(sql`${t.remainingCredits} > 0 and ${t.expiresAt} is not null`),
    index('credit_buckets_user_idx').on(t.userId, t.id),
    check('credit_buckets_remaining', sql`${t.remainingCredits} >= 0`),
    check('credit_buckets_kind_known', sql`${t.kind} in ('granted', 'purchased', 'promotional')`),
    check('credit_buckets_expired_is_empty', sql`${t.expiredAt} is null or ${t.remainingCredits} = 0`),
  ],
);

/** How one ledger entry fell on buckets; Σ of an entry = its amount, Σ of a bucket = what remains. Append-only (trigger). */
export const creditBucketMoves = pgTable(
  'credit_bucket_moves',
  {
    entryId: uuid('entry_id')
      .notNull()
      .references(() => creditLedger.id, { onDelete: 'restrict' }),
    bucketId: uuid('bucket_id')
      .notNull()
      .references(() => creditBuckets.id, { onDelete: 'restrict' }),
    deltaCredits: int8('delta_credits').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.entryId, t.bucketId] }),
    index('credit_bucket_moves_bucket_idx').on(t.bucketId),
    check('credit_bucket_moves_moves', sql`${t.deltaCredits} <> 0`),
  ],
);

/** What a chargeback or clawback could not take. Paid off first by whatever comes in later; submits wait for it. */
export const creditDebts = pgTable(
  'credit_debts',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    /** Names the event that made it: one debt each. */
    key: text('key').notNull(),
    amountCredits: int8('amount_credits').notNull(),
    remainingCredits: int8('remaining_credits').notNull(),
    orderId: uuid('order_id'),
    reason: text('reason').notNull(),
    createdAt: createdAt(),
    settledAt: moment('settled_at'),
  },
  (t) => [
    uniqueIndex('credit_debts_key_key').on(t.key),
    index('credit_debts_open_idx').on(t.userId, t.id).where(sql`${t.remainingCredits} > 0`),
    check(
      'credit_debts_amounts',
      sql`${t.amountCredits} > 0 and ${t.remainingCredits} between 0 and ${t.amountCredits}`,
    ),
    check('credit_debts_settled_at', sql`(${t.remainingCredits} = 0) = (${t.settledAt} is not null)`),
  ],
);

/** Credits set aside per user and UTC day, less what came back: what the cost guard counts. */
export const creditDaySpending = pgTable(
  'credit_day_spending',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    day: date('day', { mode: 'string' }).notNull(),
    spentCredits: int8('spent_credits').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.day] }),
    index('credit_day_spending_day_idx').on(t.day),
    check('credit_day_spending_range', sql`${t.spentCredits} >= 0`),
  ],
);

/** Limits on spending, one row; null: no limit. */
export const costGuard = pgTable(
  'cost_guard',
  {
    id: smallint('id').primaryKey().default(1),
    taskCredits: int8('task_credits'),
    userDayCredits: int8('user_day_credits'),
    dayCredits: int8('day_credits'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('cost_guard_one_row', sql`${t.id} = 1`),
    check(
      'cost_guard_range',
      sql`${t.taskCredits} >= 0 and ${t.userDayCredits} >= 0 and ${t.dayCredits} >= 0`,
    ),
  ],
);

/**
 * What a task holds. Ends exactly once: `captured` (captured + returned = amount, one transaction), or `refunding`
 * when the task ended without a delivery, then `refunded` when the refund lane has posted it.
 */
export const creditHolds = pgTable(
  'credit_holds',
  {
    taskId: uuid('task_id')
      .primaryKey()
      .references(() => generationTasks.id, { onDelete: 'restrict' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    amountCredits: int8('amount_credits').notNull(),
    capturedCredits: int8('captured_credits').notNull().default(0),
    returnedCredits: int8('returned_credits').notNull().default(0),
    status: text('status', { enum: ['held', 'captured', 'refunding', 'refunded'] })
      .notNull()
      .default('held'),
    /** `parent`: drawn from what a composite holds, without a ledger entry of its own. */
    source: text('source', { enum: ['balance', 'parent'] })
      .notNull()
      .default('balance'),
    parentTaskId: uuid('parent_task_id').references(() => generationTasks.id, { onDelete: 'restrict' }),
    /** Of a composite's hold: what children may still draw, and what they have been charged; null of any other. */
    budgetFreeCredits: int8('budget_free_credits'),
    budgetSpentCredits: int8('budget_spent_credits'),
    /** UTC day on which the cost guard counted it; null: not counted. */
    spentOn: date('spent_on', { mode: 'string' }),
    createdAt: createdAt(),
    closedAt: moment('closed_at'),
  },
  (t) => [
    index('credit_holds_parent_idx').on(t.parentTaskId).where(sql`${t.parentTaskId} is not null`),
    check('credit_holds_source', sql`(${t.source} = 'parent') = (${t.parentTaskId} is not null)`),
    check(
      'credit_holds_budget',
      sql`(${t.budgetFreeCredits} is null) = (${t.budgetSpentCredits} is null) and ${t.budgetFreeCredits} >= 0
        and ${t.budgetSpentCredits} >= 0 and ${t.budgetFreeCredits} + ${t.budgetSpentCredits} <= ${t.amountCredits}`,
    ),
    // A budget is settled when no child holds any of it, by what its children were charged.
    check(
      'credit_holds_budget_ends',
      sql`${t.budgetFreeCredits} is null or ${t.status} = 'held' or (
        ${t.budgetFreeCredits} + ${t.budgetSpentCredits} = ${t.amountCredits} and (
          ${t.budgetSpentCredits} = 0 or (${t.status} = 'captured' and ${t.capturedCredits} = ${t.budgetSpentCredits})))`,
    ),
    check(
      'credit_holds_draw',
      sql`${t.source} = 'balance' or (${t.budgetFreeCredits} is null and ${t.spentOn} is null and ${t.status} <> 'refunding')`,
    ),
    index('credit_holds_open_idx').on(t.userId).where(sql`${t.status} in ('held', 'refunding')`),
    check(
      'credit_holds_amounts',
      sql`${t.amountCredits} >= 0 and ${t.capturedCredits} >= 0 and ${t.returnedCredits} >= 0`,
    ),
    check(
      'credit_holds_ends_once',
      sql`case ${t.status}
        when 'held' then ${t.capturedCredits} = 0 and ${t.returnedCredits} = 0 and ${t.closedAt} is null
        when 'refunding' then ${t.capturedCredits} = 0 and ${t.returnedCredits} = 0 and ${t.closedAt} is null
        when 'captured' then ${t.capturedCredits} + ${t.returnedCredits} = ${t.amountCredits} and ${t.closedAt} is not null
        when 'refunded' then ${t.capturedCredits} = 0 and ${t.returnedCredits} = ${t.amountCredits} and ${t.closedAt} is not null
        else false end`,
    ),
  ],
);

/** One refund per task, written in the transaction that fails the task; the refund lane posts it to the ledger. */
export const creditRefunds = pgTable(
  'credit_refunds',
  {
    id: primaryId(),
    taskId: uuid('task_id')
      .notNull()
      .references(() => generationTasks.id, { onDelete: 'restrict' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    amountCredits: int8('amount_credits').notNull(),
    /** `voided`: an operator decided, with a reason, that nothing is paid. */
    status: text('status', { enum: ['pending', 'settled', 'manual', 'voided'] })
      .notNull()
      .default('pending'),
    reason: text('reason').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: moment('next_attempt_at').defaultNow(),
    lastError: text('last_error'),
    ...leaseColumns(),
    createdAt: createdAt(),
    settledAt: moment('settled_at'),
    /** The operator's verdict on a refund that was `manual`. */
    resolvedBy: uuid('resolved_by').references(() => users.id, { onDelete: 'restrict' }),
    resolution: text('resolution'),
  },
  (t) => [
    uniqueIndex('credit_refunds_task_key').on(t.taskId),
    index('credit_refunds_due_idx').on(t.nextAttemptAt, t.id).where(sql`${t.status} = 'pending'`),
    index('credit_refunds_user_idx').on(t.userId, t.id),
    check('credit_refunds_amount', sql`${t.amountCredits} >= 0`),
    check('credit_refunds_status_known', sql`${t.status} in ('pending', 'settled', 'manual', 'voided')`),
    index('credit_refunds_status_idx').on(t.status, t.id),
    check('credit_refunds_voided', sql`${t.status} <> 'voided' or ${t.resolution} is not null`),
    check('credit_refunds_settled_at', sql`(${t.status} = 'settled') = (${t.settledAt} is not null)`),
    check('credit_refunds_due', sql`(${t.status} = 'pending') = (${t.nextAttemptAt} is not null)`),
  ],
);
