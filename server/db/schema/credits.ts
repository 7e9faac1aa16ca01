import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
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
    kind: text('kind', { enum: ['grant', 'hold', 'return', 'refund', 'adjustment'] }).notNull(),
    deltaCredits: int8('delta_credits').notNull(),
    balanceAfterCredits: int8('balance_after_credits').notNull(),
    key: text('key').notNull(),
    taskId: uuid('task_id'),
    /** `user:<id>`, `operator:<id>`, `executor`, `refund-lane`, `cli`. */
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
    createdAt: moment('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    uniqueIndex('credit_ledger_key_key').on(t.key),
    index('credit_ledger_user_idx').on(t.userId, t.id),
    index('credit_ledger_task_idx').on(t.taskId),
    check('credit_ledger_moves', sql`${t.deltaCredits} <> 0`),
    check('credit_ledger_balance_range', sql`${t.balanceAfterCredits} >= 0`),
    check('credit_ledger_kind_known', sql`${t.kind} in ('grant', 'hold', 'return', 'refund', 'adjustment')`),
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
    createdAt: createdAt(),
    closedAt: moment('closed_at'),
  },
  (t) => [
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
    status: text('status', { enum: ['pending', 'settled', 'manual'] })
      .notNull()
      .default('pending'),
    reason: text('reason').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: moment('next_attempt_at').defaultNow(),
    lastError: text('last_error'),
    ...leaseColumns(),
    createdAt: createdAt(),
    settledAt: moment('settled_at'),
  },
  (t) => [
    uniqueIndex('credit_refunds_task_key').on(t.taskId),
    index('credit_refunds_due_idx').on(t.nextAttemptAt, t.id).where(sql`${t.status} = 'pending'`),
    index('credit_refunds_user_idx').on(t.userId, t.id),
    check('credit_refunds_amount', sql`${t.amountCredits} >= 0`),
    check('credit_refunds_status_known', sql`${t.status} in ('pending', 'settled', 'manual')`),
    check('credit_refunds_settled_at', sql`(${t.status} = 'settled') = (${t.settledAt} is not null)`),
    check('credit_refunds_due', sql`(${t.status} = 'pending') = (${t.nextAttemptAt} is not null)`),
  ],
);
