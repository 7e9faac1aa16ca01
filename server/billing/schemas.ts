import { z } from 'zod';
import {
  bulkIds,
  calendarDay,
  listCursor,
  listDays,
  listIds,
  listLimit,
  listSearch,
} from '#server/lib/schemas.ts';

/** Inputs and views of credits: the contract of pages, API and tests. Isomorphic: imports zod only. */

const MAX_INPUT_CREDITS = 1_000_000_000;

export const LEDGER_KINDS = [
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
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** A calendar day in UTC, `2026-11-30`. */
const day = calendarDay('Enter a day as YYYY-MM-DD.');

const ledgerFilters = z.object({
  kind: z.enum(LEDGER_KINDS).optional(),
  /** First and last UTC day, both included. */
  from: day.optional(),
  to: day.optional(),
});
export type LedgerFilters = z.infer<typeof ledgerFilters>;

export const ledgerInput = ledgerFilters.extend({
  /** Id of the last entry of the page before. */
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(30),
});
export type LedgerInput = z.infer<typeof ledgerInput>;

export type LedgerEntryView = {
  id: string;
  at: Date;
  kind: LedgerKind;
  deltaCredits: number;
  balanceAfterCredits: number;
  taskId: string | null;
  orderId: string | null;
  reason: string;
};

export type LedgerPage = { items: LedgerEntryView[]; nextCursor: string | null };

/** As administrators see it: with who did it and the key that makes it happen once. */
export type AdminLedgerEntryView = LedgerEntryView & { actor: string; key: string };

export type BucketView = {
  id: string;
  kind: 'granted' | 'purchased' | 'promotional';
  remainingCredits: number;
  /** Null: never. */
  expiresAt: Date | null;
  orderId: string | null;
  createdAt: Date;
};

export type DebtView = {
  id: string;
  amountCredits: number;
  remainingCredits: number;
  reason: string;
  createdAt: Date;
};

export type BalanceView = {
  /** What can be spent now: credits that have expired do not count, though no sweep has taken them out yet. */
  balanceCredits: number;
  /** In open holds and in refunds that are on their way; not part of the balance. */
  heldCredits: number;
  /** Soonest expiry first, which is the order in which they are spent. */
  buckets: BucketView[];
  /** Open debts; nothing can be submitted until they are paid off by what comes in. */
  debts: DebtView[];
};

/** Why an administrator does something with money; kept in the ledger and the audit log. */
export const moneyReason = z
  .string('Say why.')
  .trim()
  .min(5, 'Say why, in at least 5 characters.')
  .max(300, 'A reason has at most 300 characters.')
  .regex(/^[^\0\p{Cc}]*$/u, 'A reason has no control characters.');

/** Sent with each form, so that the form sent twice acts once. */
const actionKey = z.uuid('The form is out of date. Reload the page.');

export const adjustInput = z.object({
  userId: z.uuid('This is not a user id.'),
  /** Positive gives, negative takes. */
  credits: z
    .number('Enter a whole number of credits.')
    .int('Enter a whole number of credits.')
    .min(-MAX_INPUT_CREDITS, 'At most 1,000,000,000 credits.')
    .max(MAX_INPUT_CREDITS, 'At most 1,000,000,000 credits.')
    .refine((credits) => credits !== 0, 'Enter a number other than 0.'),
  /** Of credits given: they expire after so many days; null: never. */
  validDays: z.number().int().min(1).max(3_650).nullable().default(null),
  reason: moneyReason,
  key: actionKey,
});
export type AdjustInput = z.infer<typeof adjustInput>;

export const findUsersInput = z.object({
  /** Part of an address or a name, or a user id. */
  search: z.string().trim().max(254).default(''),
  standing: z.enum(['open', 'disabled', 'closed', 'admin']).optional(),
  /** `spent`: credits set aside in the last 30 days, less what came back. */
  sort: z.enum(['created', 'balance', 'spent']).default('created'),
  order: z.enum(['asc', 'desc']).default('desc'),
  cursor: listCursor.optional(),
  limit: listLimit,
  ids: listIds,
});
export type FindUsersInput = z.infer<typeof findUsersInput>;

export type UserMoneyRow = {
  userId: string;
  email: string;
  displayName: string;
  disabled: boolean;
  deleted: boolean;
  balanceCredits: number;
  heldCredits: number;
  owedCredits: number;
  /** Set aside in the last 30 UTC days, less what came back. */
  spentCredits: number;
  createdAt: Date;
};
export type UserMoneyList = { items: UserMoneyRow[]; nextCursor: string | null };

export const userMoneyInput = ledgerInput.extend({ userId: z.uuid('This is not a user id.') });
export type UserMoneyInput = z.infer<typeof userMoneyInput>;

export type UserMoneyView = {
  user: UserMoneyRow;
  balance: BalanceView;
  ledger: { items: AdminLedgerEntryView[]; nextCursor: string | null };
};

export const REFUND_STATUSES = ['pending', 'settled', 'manual', 'voided'] as const;
export const refundsInput = listDays.extend({
  status: z.enum(REFUND_STATUSES).optional(),
  /** The e-mail address of a person, or the id of a person or a task. */
  who: listSearch,
  sort: z.enum(['made', 'amount']).default('made'),
  order: z.enum(['asc', 'desc']).default('desc'),
  cursor: listCursor.optional(),
  limit: listLimit,
  ids: listIds,
});
export type RefundsInput = z.infer<typeof refundsInput>;

/** A refund of a task's credits. */
export type TaskRefundView = {
  id: string;
  taskId: string;
  userId: string;
  userEmail: string;
  amountCredits: number;
  status: (typeof REFUND_STATUSES)[number];
  reason: string;
  attempts: number;
  nextAttemptAt: Date | null;
  lastError: string | null;
  createdAt: Date;
  settledAt: Date | null;
  resolution: string | null;
};
export type TaskRefundPage = { items: TaskRefundView[]; nextCursor: string | null };

export const retryRefundInput = z.object({ refundId: z.uuid('This is not a refund id.') });
/** An operator decides that a refund which waits for people pays nothing. */
export const voidRefundInput = retryRefundInput.extend({ reason: moneyReason });

export const bulkRefundsInput = z.object({
  deed: z.enum(['retry', 'void']),
  refundIds: bulkIds,
  reason: moneyReason,
});
export type BulkRefundsInput = z.infer<typeof bulkRefundsInput>;

const limit = z
  .number('Enter a whole number of credits.')
  .int('Enter a whole number of credits.')
  .min(0, 'A limit is 0 or more.')
  .max(1_000_000_000_000, 'At most 1,000,000,000,000 credits.')
  .nullable();
/** Most credits set aside per task, per user and UTC day, and in total per UTC day; null: no limit. */
export const costGuardInput = z.object({ taskCredits: limit, userDayCredits: limit, dayCredits: limit });
export type CostGuardLimits = z.infer<typeof costGuardInput>;
export type CostGuardView = CostGuardLimits & {
  /** Set aside today (UTC), less what came back. */
  spentTodayCredits: number;
  updatedAt: Date | null;
};

export const dailySummaryInput = z.object({
  /** UTC days, today included. */
  days: z.number().int().min(1).max(366).default(30),
});

/** One UTC day, oldest first, days without movement included. Credits and minor units are positive numbers. */
export type DaySummary = {
  day: string;
  /** Grants, adjustments up, redeemed codes and rewards. */
  givenCredits: number;
  purchasedCredits: number;
  /** Captured by deliveries. */
  chargedCredits: number;
  /** Returned or refunded to balances. */
  returnedCredits: number;
  expiredCredits: number;
  /** Taken back: refunded orders, chargebacks, rewards, adjustments down. */
  takenBackCredits: number;
  ordersPaid: number;
  /** By currency, minor units. */
  revenue: Record<string, number>;
  moneyRefunded: Record<string, number>;
};

type MismatchView = { check: string; id: string; detail: string };
/** What `npm run audit` prints; an empty list: the books are right. */
export type AuditView = { checkedAt: Date; checks: string[]; mismatches: MismatchView[] };
