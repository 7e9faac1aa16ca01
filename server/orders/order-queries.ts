import { and, count, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import { keyset, madeBetween, oneOf } from '#server/db/keyset.ts';
import { creditBucketMoves, creditBuckets, creditLedger, orders, users } from '#server/db/schema/index.ts';
import { isUuid } from '#server/lib/ids.ts';
import type { AdminOrdersInput } from './schemas.ts';
import type { OrderStatus } from './status.ts';

export type OrderRow = typeof orders.$inferSelect;
/** `overdue`: pending past its end, by the database's clock, though no sweep has been by. */
export type ReadOrder = OrderRow & { overdue: boolean };
export type OrderChange = Partial<Omit<typeof orders.$inferInsert, 'id' | 'userId' | 'version'>>;
export type Buyer = { email: string; disabledAt: Date | null; deletedAt: Date | null };

const OVERDUE = sql<boolean>`(${orders.status} = 'pending' and ${orders.expiresAt} <= now())`;
const COLUMNS = { ...getTableColumns(orders), overdue: OVERDUE };

/** Locks the buyer, so that orders of one user are made one after the other. */
export async function lockBuyer(tx: Tx, userId: string): Promise<Buyer | undefined> {
  const [row] = await tx
    .select({ email: users.email, disabledAt: users.disabledAt, deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  return row;
}

export async function findBuyer(db: DbOrTx, userId: string): Promise<Buyer | undefined> {
  const [row] = await db
    .select({ email: users.email, disabledAt: users.disabledAt, deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId));
  return row;
}

export async function findOrder(
  db: DbOrTx,
  by: { orderId: string; userId?: string },
): Promise<ReadOrder | undefined> {
  const [row] = await db
    .select(COLUMNS)
    .from(orders)
    .where(and(eq(orders.id, by.orderId), by.userId ? eq(orders.userId, by.userId) : undefined));
  return row;
}

/** Locks an order; foreign keys of other transactions may still name it. */
export async function lockOrder(tx: Tx, orderId: string): Promise<ReadOrder | undefined> {
  const [row] = await tx.select(COLUMNS).from(orders).where(eq(orders.id, orderId)).for('no key update');
  return row;
}

export async function findOrderByRequestKey(
  db: DbOrTx,
  by: { userId: string; requestKey: string },
): Promise<OrderRow | undefined> {
  const [row] = await db
    .select()
    .from(orders)
    .where(and(eq(orders.userId, by.userId), eq(orders.requestKey, by.requestKey)));
  return row;
}

export async function findOrderByCheckout(
  db: DbOrTx,
  by: { provider: string; checkoutId: string },
): Promise<OrderRow | undefined> {
  const [row] = await db
    .select()
    .from(orders)
    .where(and(eq(orders.provider, by.provider), eq(orders.checkoutId, by.checkoutId)));
  return row;
}

/** The order that a payment was credited to. */
export async function findOrderByPayment(
  db: DbOrTx,
  by: { provider: string; paymentId: string },
): Promise<OrderRow | undefined> {
  const [row] = await db
    .select()
    .from(orders)
    .where(and(eq(orders.provider, by.provider), eq(orders.paymentId, by.paymentId)));
  return row;
}

/** Orders of a user that can still be paid. */
export async function countOpenOrders(db: DbOrTx, userId: string): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(orders)
    .where(and(eq(orders.userId, userId), eq(orders.status, 'pending'), sql`${orders.expiresAt} > now()`));
  return row?.n ?? 0;
}

/** A pending order that ends in `expiryMs`, by the database's clock. */
export async function insertOrder(
  tx: Tx,
  order: Omit<typeof orders.$inferInsert, 'expiresAt'> & { expiryMs: number },
): Promise<void> {
  const { expiryMs, ...values } = order;
  await tx
    .insert(orders)
    .values({ ...values, expiresAt: sql`now() + make_interval(secs => ${expiryMs / 1000})` as never });
}

/** Keeps where a pending order is paid; false when it has a checkout already or cannot be paid any more. */
export async function saveCheckout(
  db: Db,
  input: { orderId: string; checkoutId: string; checkoutUrl: string },
): Promise<boolean> {
  const rows = await db
    .update(orders)
    .set({
      checkoutId: input.checkoutId,
      checkoutUrl: input.checkoutUrl,
      version: sql`${orders.version} + 1`,
    })
    .where(and(eq(orders.id, input.orderId), eq(orders.status, 'pending'), sql`${orders.checkoutId} is null`))
    .returning({ id: orders.id });
  return rows.length === 1;
}

/**
 * Changes an order from the status it was locked in; `ended`: keeps or sets the moment at which it ended, or clears it.
 *
 * @returns false when it is in another status by now
 */
export async function updateOrder(
  tx: Tx,
  input: { order: Pick<OrderRow, 'id' | 'status'>; set: OrderChange; paidNow?: boolean; ended: boolean },
): Promise<boolean> {
  const rows = await tx
    .update(orders)
    .set({
      ...input.set,
      ...(input.paidNow ? { paidAt: sql`clock_timestamp()` as never } : {}),
      endedAt: input.ended ? (sql`coalesce(${orders.endedAt}, clock_timestamp())` as never) : null,
      version: sql`${orders.version} + 1`,
    })
    .where(and(eq(orders.id, input.order.id), eq(orders.status, input.order.status)))
    .returning({ id: orders.id });
  return rows.length === 1;
}

/** Ends pending orders whose time is up: at most `limit`, and none that somebody else is working on. */
export async function expireOrders(tx: Tx, limit: number): Promise<string[]> {
  const rows = (await tx.execute(sql`
    with due as materialized (
      select id from ${orders} where status = 'pending' and expires_at <= now()
      order by expires_at, id limit ${limit}
      for no key update skip locked
    )
    update ${orders} o set status = 'expired', ended_at = clock_timestamp(), version = o.version + 1
    from due where o.id = due.id and o.status = 'pending'
    returning o.id`)) as unknown as { id: string }[];
  return rows.map((row) => row.id);
}

/** When the next pending order ends; null when none is pending. */
export async function nextOrderExpiry(db: DbOrTx): Promise<Date | null> {
  const [row] = await db
    .select({ at: orders.expiresAt })
    .from(orders)
    .where(eq(orders.status, 'pending'))
    .orderBy(orders.expiresAt, orders.id)
    .limit(1);
  return row?.at ?? null;
}

type Listed = ReadOrder & { userEmail: string };

const withBuyers = (db: Db, sortKey = sql<string>`''`) =>
  db
    .select({ ...COLUMNS, userEmail: users.email, sortKey })
    .from(orders)
    .innerJoin(users, eq(users.id, orders.userId));

/** Newest first. */
export async function listOrdersOf(
  db: Db,
  input: { userId: string; cursor?: string; limit: number },
): Promise<Listed[]> {
  return withBuyers(db)
    .where(and(eq(orders.userId, input.userId), input.cursor ? lt(orders.id, input.cursor) : undefined))
    .orderBy(desc(orders.id))
    .limit(input.limit);
}

/** In the order asked for. A status means what the order reads as now. */
export async function listOrders(db: Db, input: AdminOrdersInput): Promise<(Listed & { sortKey: string })[]> {
  const { userId, status, dispute, who, sort } = input;
  const { after, orderBy, sortKey } = keyset({
    sort,
    descending: input.order === 'desc',
    cursor: input.cursor,
    columns: {
      made: null,
      amount: { column: sql`${orders.amountMinor}`, type: 'number' },
      paid: { column: sql`${orders.paidAt}`, type: 'moment' },
    },
    id: sql`${orders.id}`,
  });
  return withBuyers(db, sortKey)
    .where(
      and(
        after,
        sort === 'paid' ? sql`${orders.paidAt} is not null` : undefined,
        userId ? eq(orders.userId, userId) : undefined,
        status ? readsAs(status) : undefined,
        dispute ? eq(orders.dispute, dispute) : undefined,
        who === '' ? undefined : ofWhom(who),
        oneOf(sql`${orders.id}`, input.ids),
        madeBetween({ id: sql`${orders.id}`, madeAt: sql`${orders.createdAt}` }, input),
      ),
    )
    .orderBy(...orderBy)
    .limit(input.limit);
}

const ofWhom = (who: string) =>
  isUuid(who)
    ? sql`(${orders.userId} = ${who}::uuid or ${orders.id} = ${who}::uuid)`
    : sql`(${users.email} = lower(${who}) or ${orders.paymentId} = ${who})`;

function readsAs(status: OrderStatus) {
  if (status === 'pending') return and(eq(orders.status, 'pending'), sql`not ${OVERDUE}`);
  if (status === 'expired') return sql`(${orders.status} = 'expired' or ${OVERDUE})`;
  return eq(orders.status, status);
}

/** Of the credits an order brought: how many can be spent now, and how many expired unspent. */
export async function readOrderCredits(
  db: DbOrTx,
  orderId: string,
): Promise<{ liveCredits: number; expiredCredits: number }> {
  const [live] = await db
    .select({ credits: sql<string>`coalesce(sum(${creditBuckets.remainingCredits}), 0)` })
    .from(creditBuckets)
    .where(
      and(
        eq(creditBuckets.orderId, orderId),
        sql`${creditBuckets.remainingCredits} > 0`,
        sql`(${creditBuckets.expiresAt} is null or ${creditBuckets.expiresAt} > clock_timestamp())`,
      ),
    );
  const [expired] = await db
    .select({ credits: sql<string>`coalesce(-sum(${creditBucketMoves.deltaCredits}), 0)` })
    .from(creditLedger)
    .innerJoin(creditBucketMoves, eq(creditBucketMoves.entryId, creditLedger.id))
    .where(and(eq(creditLedger.orderId, orderId), eq(creditLedger.kind, 'expire')));
  return { liveCredits: Number(live?.credits ?? 0), expiredCredits: Number(expired?.credits ?? 0) };
}
