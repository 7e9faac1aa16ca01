import { sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { CHANNEL_OPEN, CREATES_FROM, DUE, IS_COMPOSITE, POLL_STATUSES } from './claim-queries.ts';

/**
 * The earliest moment at which some row could be claimed: rows of channels that take no work count from when they do. The first
 * row that nothing holds back is always found; of rows that are leased or paused the first 200 are looked at, and of
 * queued ones the first of each of 500 users per channel. Without `canCompose`, what is to be put together does not count:
 * the end of what takes its place tells.
 */
export async function nextTaskDueAt(db: Db, { canCompose = true } = {}): Promise<Date | null> {
  const transferable = canCompose ? sql`true` : sql`not ${IS_COMPOSITE}`;
  const [row] = (await db.execute(sql`
    with recursive heads as (
      select c.id as channel_id, ${CREATES_FROM} as creates_from, first.*, 1 as step
      from provider_channels c
      cross join lateral (
        select q.user_id, q.next_poll_at, q.lease_until from generation_tasks q
        where q.status = 'queued' and q.channel_id = c.id
        order by q.user_id, q.next_poll_at, q.id limit 1) first
      where c.enabled and c.max_in_flight > (
        select count(*) from (select 1 from generation_tasks l
          where l.channel_id = c.id and l.status in ('dispatching', 'running') limit c.max_in_flight) live)
      union all
      select h.channel_id, h.creates_from, following.*, h.step + 1
      from heads h
      cross join lateral (
        select q.user_id, q.next_poll_at, q.lease_until from generation_tasks q
        where q.status = 'queued' and q.channel_id = h.channel_id and q.user_id > h.user_id
        order by q.user_id, q.next_poll_at, q.id limit 1) following
      where h.step < 500
    )
    select min(at) as at from (
      (select next_poll_at as at from generation_tasks
       where ${POLL_STATUSES} and (lease_until is null or lease_until < now()) and ${CHANNEL_OPEN}
       order by next_poll_at, id limit 1)
      union all
      (select next_poll_at from generation_tasks
       where status = 'archiving' and ${transferable} and (lease_until is null or lease_until < now())
       order by next_poll_at, id limit 1)
      union all
      (select greatest(t.next_poll_at, t.lease_until, case when t.status <> 'waiting' then c.paused_until end) as at
       from generation_tasks t join provider_channels c on c.id = t.channel_id
       where t.status in ('dispatching', 'running', 'uncertain', 'waiting')
       order by t.next_poll_at, t.id limit 200)
      union all
      (select greatest(next_poll_at, lease_until) from generation_tasks
       where status = 'archiving' and ${transferable} order by next_poll_at, id limit 200)
      union all
      (select min(greatest(next_poll_at, lease_until, creates_from)) from heads
       where not exists (select 1 from users u where u.id = heads.user_id and u.in_flight_limit = 0))
      union all
      (select min(give_up_at) from generation_tasks where status = 'queued')
      union all
      (select min(greatest(next_watch_at, lease_until)) from dispatches where next_watch_at is not null)
    ) due`)) as unknown as { at: string | Date | null }[];
  return row?.at ? new Date(row.at) : null;
}

/** Rows due now, counted up to `most`. */
export async function countBacklog(db: Db, most = 1_000): Promise<number> {
  const [row] = (await db.execute(sql`
    select count(*)::int as n from (
      select 1 from generation_tasks
      where status in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting') and ${DUE}
      limit ${most}) due`)) as unknown as { n: number }[];
  return row?.n ?? 0;
}
