import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { firstIdAt } from '#server/lib/ids.ts';
import type { ModelNumbers, NowNumbers, TaskCounts } from './schemas.ts';

/**
 * Counts for the back office. Ids are UUIDv7, so each statement reads a range of a primary key, or an index of what is
 * still open: what ended before the range costs nothing.
 */

/** From when on is counted, and how long a bar is. */
export type Span = { from: Date; barMs: number };

/** Milliseconds since 1970 of a UUIDv7. Not a column, so that an index alone can answer. */
const madeAt = (id: SQL) => sql`('x' || left(translate(${id}::text, '-', ''), 12))::bit(48)::bigint`;
export const barOf = (id: SQL, { from, barMs }: Span) =>
  sql`greatest(0, (${madeAt(id)} - ${from.getTime()}::bigint) / ${barMs}::bigint)::int`;
export const since = (id: SQL, from: Date) => sql`${id} >= ${firstIdAt(from)}::uuid`;

/** Tasks by the bar in which they were submitted, and of the whole span under `null`. */
export async function countTasks(db: Db, span: Span): Promise<Map<number | null, TaskCounts>> {
  const rows = await db.execute<TaskCounts & { bar: number | null }>(sql`
    select bar, count(*)::float8 as submitted,
      count(*) filter (where status = 'succeeded')::float8 as succeeded,
      count(*) filter (where status = 'failed')::float8 as failed,
      count(*) filter (where status = 'cancelled')::float8 as cancelled,
      count(distinct user_id)::float8 as people
    from (select ${barOf(sql`id`, span)} as bar, status, user_id from generation_tasks
          where ${since(sql`id`, span.from)}) submitted
    group by grouping sets ((bar), ())`);
  return new Map(rows.map(({ bar, ...counts }) => [bar, counts]));
}

/** Credits charged for tasks by the bar in which they were submitted. Parts of a composite are in what it was charged. */
export async function sumCharged(db: Db, span: Span): Promise<Map<number, number>> {
  const rows = await db.execute<{ bar: number; credits: number }>(sql`
    select ${barOf(sql`task_id`, span)} as bar, sum(captured_credits)::float8 as credits
    from credit_holds
    where ${since(sql`task_id`, span.from)} and source = 'balance' and captured_credits > 0
    group by 1`);
  return new Map(rows.map(({ bar, credits }) => [bar, credits]));
}

/** Credits of paid orders by the bar in which they were paid. */
export async function sumBought(db: Db, { from, barMs }: Span): Promise<Map<number, number>> {
  const rows = await db.execute<{ bar: number; credits: number }>(sql`
    select greatest(0, floor((extract(epoch from paid_at) * 1000 - ${from.getTime()}::bigint) / ${barMs}::bigint))::int as bar,
      sum(credits)::float8 as credits
    from orders where paid_at is not null and paid_at >= ${from.toISOString()}::timestamptz
    group by 1`);
  return new Map(rows.map(({ bar, credits }) => [bar, credits]));
}

/** How each model has done with what was submitted since `from`, the busiest first. */
export async function measureModels(db: Db, from: Date, limit: number): Promise<ModelNumbers[]> {
  const rows = await db.execute<ModelNumbers>(sql`
    select m.id as "modelId", m.title, m.kind, counted.submitted, counted.succeeded, counted.failed,
      counted.percentiles[1] as "p50Seconds", counted.percentiles[2] as "p95Seconds"
    from (
      select model_id, count(*)::float8 as submitted,
        count(*) filter (where status = 'succeeded')::float8 as succeeded,
        count(*) filter (where status = 'failed')::float8 as failed,
        percentile_cont(array[0.5, 0.95]) within group (order by extract(epoch from finished_at - submitted_at))
          filter (where status = 'succeeded') as percentiles
      from generation_tasks
      where ${since(sql`id`, from)} and kind not in ('agent', 'drama')
      group by model_id
      order by submitted desc limit ${limit}
    ) counted
    join models m on m.id = counted.model_id
    order by counted.submitted desc, m.title`);
  return [...rows];
}

/** Why tasks that were submitted since `from` failed, the most frequent reason first. */
export async function countFailures(
  db: Db,
  from: Date,
  limit: number,
): Promise<{ code: string; count: number }[]> {
  const rows = await db.execute<{ code: string; count: number }>(sql`
    select failure_code as code, count(*)::float8 as count from generation_tasks
    where status = 'failed' and ${since(sql`id`, from)}
    group by failure_code order by count desc, code limit ${limit}`);
  return [...rows];
}

/** What waits now; each part walks an index over what is open. At most `mostDue` due rows are looked at. */
export async function readNow(db: Db, mostDue: number): Promise<NowNumbers> {
  const rows = await db.execute<{ part: string; name: string; total: number | null }>(sql`
    with due as materialized (
      select next_poll_at from generation_tasks
      where status in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting')
        and next_poll_at <= now() and (lease_until is null or lease_until < now())
      limit ${mostDue}
    )
    select 'live' as part, status as name, count(*)::float8 as total from generation_tasks
      where status in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting') group by status
    union all
    select 'due', '', count(*)::float8 from due
    union all
    select 'oldest', '', extract(epoch from now() - min(next_poll_at))::float8 from due
    union all
    select 'refunds', status, count(*)::float8 from credit_refunds
      where status in ('pending', 'manual') group by status
    union all
    select 'paymentRefunds', status, count(*)::float8 from payment_refunds
      where status in ('pending', 'manual') group by status
    union all
    select 'mismatches', '', count(*)::float8 from payment_events
      where outcome = 'mismatch' and resolved_at is null`);
  const now: NowNumbers = {
    live: {},
    due: 0,
    oldestDueSeconds: null,
    refunds: { pending: 0, manual: 0 },
    paymentRefunds: { pending: 0, manual: 0 },
    paymentMismatches: 0,
  };
  for (const { part, name, total } of rows) {
    if (part === 'live') now.live[name] = total ?? 0;
    else if (part === 'due') now.due = total ?? 0;
    else if (part === 'oldest') now.oldestDueSeconds = total === null ? null : Math.max(0, total);
    else if (part === 'mismatches') now.paymentMismatches = total ?? 0;
    else if (part === 'refunds') now.refunds[name as 'pending' | 'manual'] = total ?? 0;
    else now.paymentRefunds[name as 'pending' | 'manual'] = total ?? 0;
  }
  return now;
}

/** Executors with leases on tasks that have not ended. */
export async function countLeases(db: Db, limit: number): Promise<{ executorId: string; leases: number }[]> {
  const rows = await db.execute<{ executorId: string; leases: number }>(sql`
    select leased_by as "executorId", count(*)::float8 as leases from generation_tasks
    where status in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting')
      and lease_until > now()
    group by leased_by order by leases desc, leased_by limit ${limit}`);
  return [...rows];
}
