import { and, eq, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import { contains, keyset, madeBetween, oneOf } from '#server/db/keyset.ts';
import {
  creditAccounts,
  creditDebts,
  creditHolds,
  creditLedger,
  creditRefunds,
  users,
} from '#server/db/schema/index.ts';
import { isUuid } from '#server/lib/ids.ts';
import { type RefundRow, showMoney } from './queries.ts';
import type { FindUsersInput, RefundsInput, UserMoneyRow } from './schemas.ts';

/** What a person set aside in the last 30 UTC days, less what came back. */
const SPENT_LATELY = sql`coalesce((
    select sum(s.spent_credits) from credit_day_spending s
    where s.user_id = users.id and s.day > (now() at time zone 'UTC')::date - 30), 0)`;

/** `users.id` is written out: in a select of one table a column reference loses its table. */
const USER_MONEY = {
  userId: users.id,
  email: users.email,
  displayName: users.displayName,
  disabled: sql<boolean>`${users.disabledAt} is not null`,
  deleted: sql<boolean>`${users.deletedAt} is not null`,
  balanceCredits: sql<number>`coalesce((
    select a.balance_credits from ${creditAccounts} a where a.user_id = users.id), 0)::float8 - coalesce((
    select sum(b.remaining_credits) from credit_buckets b
    where b.user_id = users.id and b.remaining_credits > 0 and b.expires_at <= now()), 0)::float8`,
  heldCredits: sql<number>`coalesce((
    select sum(h.amount_credits) from ${creditHolds} h
    where h.user_id = users.id and h.status in ('held', 'refunding') and h.source = 'balance'), 0)::float8`,
  owedCredits: sql<number>`coalesce((
    select sum(d.remaining_credits) from ${creditDebts} d
    where d.user_id = users.id and d.remaining_credits > 0), 0)::float8`,
  spentCredits: sql<number>`(${SPENT_LATELY})::float8`,
  createdAt: users.createdAt,
};

type Sorted = { id: string; sortKey: string };

/** Users by part of address or name, or by id, in the order asked for. */
export async function listUserMoney(db: Db, input: FindUsersInput): Promise<(UserMoneyRow & Sorted)[]> {
  const { after, orderBy, sortKey } = keyset({
    sort: input.sort,
    descending: input.order === 'desc',
    cursor: input.cursor,
    columns: {
      created: null,
      balance: {
        column: sql`coalesce(credit_accounts.balance_credits, 0)`,
        type: 'number',
      },
      spent: { column: SPENT_LATELY, type: 'number' },
    },
    id: sql`users.id`,
  });
  // Who is on the page first, by the narrow columns that it is sorted by; what else they have is read of them alone.
  const listed = await db
    .select({ id: users.id, sortKey: sortKey.as('sort_key') })
    .from(users)
    .leftJoin(creditAccounts, eq(creditAccounts.userId, users.id))
    .where(and(after, matching(input.search), standing(input.standing), oneOf(sql`users.id`, input.ids)))
    .orderBy(...orderBy)
    .limit(input.limit);
  if (listed.length === 0) return [];
  const money = await db
    .select({ ...USER_MONEY, id: users.id })
    .from(users)
    .where(
      inArray(
        users.id,
        listed.map(({ id }) => id),
      ),
    );
  const byId = new Map(money.map((row) => [row.id, row]));
  return listed.flatMap(({ id, sortKey: key }) => {
    const row = byId.get(id);
    return row ? [{ ...row, sortKey: key }] : [];
  });
}

function standing(word: FindUsersInput['standing']): SQL | undefined {
  switch (word) {
    case 'open':
      return isNull(users.disabledAt);
    case 'disabled':
      return and(isNotNull(users.disabledAt), isNull(users.deletedAt));
    case 'closed':
      return isNotNull(users.deletedAt);
    case 'admin':
      return eq(users.role, 'admin');
    case undefined:
      return undefined;
  }
}

function matching(search: string): SQL | undefined {
  if (search === '') return undefined;
  if (isUuid(search)) return eq(users.id, search);
  return or(contains(sql`${users.email}`, search), contains(sql`${users.displayName}`, search));
}

export async function getUserMoney(db: DbOrTx, userId: string): Promise<UserMoneyRow | undefined> {
  const [row] = await db.select(USER_MONEY).from(users).where(eq(users.id, userId));
  return row;
}

export async function userExists(db: DbOrTx, userId: string): Promise<boolean> {
  const [row] = await db.select({ id: users.id }).from(users).where(eq(users.id, userId));
  return row !== undefined;
}

/** Whose movement a ledger key was, and of how many credits. */
export async function findEntryByKey(
  db: DbOrTx,
  key: string,
): Promise<{ userId: string; deltaCredits: number } | undefined> {
  const [row] = await db
    .select({ userId: creditLedger.userId, deltaCredits: creditLedger.deltaCredits })
    .from(creditLedger)
    .where(eq(creditLedger.key, key));
  return row;
}

/** Refunds of tasks with their users' addresses, in the order asked for. */
export async function listRefunds(
  db: Db,
  input: RefundsInput,
): Promise<({ refund: RefundRow; userEmail: string } & Sorted)[]> {
  const { status, who } = input;
  const { after, orderBy, sortKey } = keyset({
    sort: input.sort,
    descending: input.order === 'desc',
    cursor: input.cursor,
    columns: { made: null, amount: { column: sql`${creditRefunds.amountCredits}`, type: 'number' } },
    id: sql`${creditRefunds.id}`,
  });
  return db
    .select({ refund: creditRefunds, userEmail: users.email, id: creditRefunds.id, sortKey })
    .from(creditRefunds)
    .innerJoin(users, eq(users.id, creditRefunds.userId))
    .where(
      and(
        after,
        status ? eq(creditRefunds.status, status) : undefined,
        who === '' ? undefined : ofWhom(who),
        oneOf(sql`${creditRefunds.id}`, input.ids),
        madeBetween({ id: sql`${creditRefunds.id}`, madeAt: sql`${creditRefunds.createdAt}` }, input),
      ),
    )
    .orderBy(...orderBy)
    .limit(input.limit);
}

const ofWhom = (who: string): SQL | undefined =>
  isUuid(who)
    ? or(eq(creditRefunds.userId, who), eq(creditRefunds.taskId, who))
    : sql`${users.email} = lower(${who})`;

export async function findRefundId(db: DbOrTx, taskId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: creditRefunds.id })
    .from(creditRefunds)
    .where(eq(creditRefunds.taskId, taskId));
  return row?.id;
}

export async function getRefundStatus(
  db: DbOrTx,
  refundId: string,
): Promise<RefundRow['status'] | undefined> {
  const [row] = await db
    .select({ status: creditRefunds.status })
    .from(creditRefunds)
    .where(eq(creditRefunds.id, refundId));
  return row?.status;
}

/** `manual → pending`, due now and with all its tries again; undefined when it is not manual (any more). */
export async function reopenRefund(tx: Tx, refundId: string): Promise<RefundRow | undefined> {
  const [row] = await tx
    .update(creditRefunds)
    .set({ status: 'pending', nextAttemptAt: sql`clock_timestamp()`, attempts: 0 })
    .where(and(eq(creditRefunds.id, refundId), eq(creditRefunds.status, 'manual')))
    .returning();
  if (row) await showMoney(tx, row.taskId);
  return row;
}

/** `manual → voided`; undefined when it is not manual (any more). */
export async function closeRefundAsVoided(
  tx: Tx,
  input: { refundId: string; operatorId: string; reason: string },
): Promise<RefundRow | undefined> {
  const [row] = await tx
    .update(creditRefunds)
    .set({ status: 'voided', resolvedBy: input.operatorId, resolution: input.reason })
    .where(and(eq(creditRefunds.id, input.refundId), eq(creditRefunds.status, 'manual')))
    .returning();
  return row;
}

/** `refunding → captured` in full: nothing comes back. False when the hold does not wait for a refund. */
export async function closeHoldAsVoided(tx: Tx, taskId: string): Promise<boolean> {
  const rows = await tx
    .update(creditHolds)
    .set({ status: 'captured', capturedCredits: creditHolds.amountCredits, closedAt: sql`now()` })
    .where(and(eq(creditHolds.taskId, taskId), eq(creditHolds.status, 'refunding')))
    .returning({ taskId: creditHolds.taskId });
  if (rows.length === 1) await showMoney(tx, taskId);
  return rows.length === 1;
}
