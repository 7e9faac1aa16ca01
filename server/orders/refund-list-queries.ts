import { and, desc, eq, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { keyset, madeBetween, oneOf } from '#server/db/keyset.ts';
import { paymentRefunds, users } from '#server/db/schema/index.ts';
import { isUuid } from '#server/lib/ids.ts';
import type { PaymentRefundRow } from './refund-queries.ts';
import type { PaymentRefundsInput } from './schemas.ts';

type ListedRefund = PaymentRefundRow & { userEmail: string };

/** Newest first. */
export async function listRefundsOfOrder(
  db: Db,
  input: { orderId: string; limit: number },
): Promise<ListedRefund[]> {
  const rows = await db
    .select({ refund: paymentRefunds, userEmail: users.email })
    .from(paymentRefunds)
    .innerJoin(users, eq(users.id, paymentRefunds.userId))
    .where(eq(paymentRefunds.orderId, input.orderId))
    .orderBy(desc(paymentRefunds.id))
    .limit(input.limit);
  return rows.map(({ refund, userEmail }) => ({ ...refund, userEmail }));
}

/** Of all orders, in the order asked for. */
export async function listPaymentRefunds(
  db: Db,
  input: PaymentRefundsInput,
): Promise<(ListedRefund & { sortKey: string })[]> {
  const { status, who } = input;
  const { after, orderBy, sortKey } = keyset({
    sort: input.sort,
    descending: input.order === 'desc',
    cursor: input.cursor,
    columns: { made: null, amount: { column: sql`${paymentRefunds.amountMinor}`, type: 'number' } },
    id: sql`${paymentRefunds.id}`,
  });
  const rows = await db
    .select({ refund: paymentRefunds, userEmail: users.email, sortKey })
    .from(paymentRefunds)
    .innerJoin(users, eq(users.id, paymentRefunds.userId))
    .where(
      and(
        after,
        status ? eq(paymentRefunds.status, status) : undefined,
        who === '' ? undefined : ofWhom(who),
        oneOf(sql`${paymentRefunds.id}`, input.ids),
        madeBetween({ id: sql`${paymentRefunds.id}`, madeAt: sql`${paymentRefunds.createdAt}` }, input),
      ),
    )
    .orderBy(...orderBy)
    .limit(input.limit);
  return rows.map(({ refund, ...row }) => ({ ...refund, ...row }));
}

const ofWhom = (who: string) =>
  isUuid(who)
    ? sql`(${paymentRefunds.userId} = ${who}::uuid or ${paymentRefunds.orderId} = ${who}::uuid)`
    : sql`${users.email} = lower(${who})`;
