import { type SQL, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';

export type CreditDay = {
  day: string;
  givenCredits: number;
  purchasedCredits: number;
  chargedCredits: number;
  returnedCredits: number;
  expiredCredits: number;
  takenBackCredits: number;
};
export type MoneyDay = { day: string; currency: string; orders: number; paid: number; refunded: number };

/** A hold ends within so many days of its submit, unless a person decides about its refund or keeps a composite waiting. */
const LONGEST_HOLD_DAYS = 60;

/** The first moment of the window: midnight in UTC, whatever the zone of the server or the session. */
const since = (days: number): SQL =>
  sql`(((now() at time zone 'UTC')::date - ${days - 1}::int)::timestamp at time zone 'UTC')`;

const utcDay = (moment: SQL): SQL => sql`(${moment} at time zone 'UTC')::date`;

/** UUIDv7 begin with their milliseconds, so ids from a moment on are a range of the primary key. */
const idFrom = (moment: SQL): SQL =>
  sql`(lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid`;

/**
 * Credits of the last UTC days, today included, oldest first, empty days too. The ledger is read by its index on time,
 * ended holds by the range of their ids; voided refunds, which people may decide at any time, by their status, and old
 * composites, which people may pause again and again, by their table. What children were charged counts with the hold
 * that they drew from.
 */
export async function sumCreditDays(db: DbOrTx, days: number): Promise<CreditDay[]> {
  const rows = await db.execute<Record<keyof CreditDay, string>>(sql`
    with moved as (
      select ${utcDay(sql`created_at`)} as day, kind, delta_credits as credits
      from credit_ledger where created_at >= ${since(days)}
    ), charged as (
      select ${utcDay(sql`h.closed_at`)} as day, sum(h.captured_credits) as credits
      from (
        select closed_at, captured_credits from credit_holds
        where task_id >= ${idFrom(sql`${since(days)} - make_interval(days => ${LONGEST_HOLD_DAYS})`)}
          and status = 'captured' and source = 'balance'
        union all
        select h.closed_at, h.captured_credits
        from credit_refunds r join credit_holds h on h.task_id = r.task_id
        where r.status = 'voided' and h.status = 'captured'
          and h.task_id < ${idFrom(sql`${since(days)} - make_interval(days => ${LONGEST_HOLD_DAYS})`)}
        union all
        select h.closed_at, h.captured_credits
        from composite_tasks c join credit_holds h on h.task_id = c.task_id
        where h.status = 'captured' and h.budget_spent_credits > 0
          and c.task_id < ${idFrom(sql`${since(days)} - make_interval(days => ${LONGEST_HOLD_DAYS})`)}
      ) h
      where h.closed_at >= ${since(days)} group by 1
    ), sums as (
      select day,
        sum(credits) filter (where kind in ('grant', 'redeem', 'reward', 'reinstate')
          or (kind = 'adjustment' and credits > 0)) as given,
        sum(credits) filter (where kind = 'purchase') as purchased,
        sum(credits) filter (where kind in ('return', 'refund')) as returned,
        -sum(credits) filter (where kind = 'expire') as expired,
        -sum(credits) filter (where kind in ('clawback', 'debt_payment')
          or (kind = 'adjustment' and credits < 0)) as taken
      from moved group by day
    )
    select to_char(d.day, 'YYYY-MM-DD') as day,
      coalesce(s.given, 0)::float8 as "givenCredits", coalesce(s.purchased, 0)::float8 as "purchasedCredits",
      coalesce(c.credits, 0)::float8 as "chargedCredits", coalesce(s.returned, 0)::float8 as "returnedCredits",
      coalesce(s.expired, 0)::float8 as "expiredCredits", coalesce(s.taken, 0)::float8 as "takenBackCredits"
    from (
      select (now() at time zone 'UTC')::date - n as day from generate_series(0, ${days - 1}::int) n
    ) d
    left join sums s using (day) left join charged c using (day)
    order by d.day`);
  return rows as unknown as CreditDay[];
}

/**
 * Paid orders and money that went back for them, by UTC day and currency. A payment that was returned because it could
 * not be taken is in neither sum: it never was revenue.
 */
export async function sumMoneyDays(db: DbOrTx, days: number): Promise<MoneyDay[]> {
  const rows = await db.execute(sql`
    with flows as (
      select ${utcDay(sql`paid_at`)} as day, currency, 1 as orders, amount_minor as paid, 0 as refunded
      from orders where paid_at >= ${since(days)}
      union all
      select ${utcDay(sql`r.settled_at`)}, r.currency, 0, 0, r.amount_minor
      from payment_refunds r join orders o on o.id = r.order_id and o.payment_id = r.payment_id
      where r.status = 'settled' and r.settled_at >= ${since(days)}
    )
    select to_char(day, 'YYYY-MM-DD') as day, currency, sum(orders)::float8 as orders, sum(paid)::float8 as paid,
      sum(refunded)::float8 as refunded
    from flows group by day, currency order by day, currency`);
  return rows as unknown as MoneyDay[];
}
