import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { uuidArray } from '#server/lib/leases.ts';

/** Rows that are old and have no file. Every statement handles at most `limit` and returns how many it did. */

/**
 * The only tasks that retention may touch: ended, the money settled, no refund open and nobody watching upstream for a
 * late result. `t` is the task.
 */
export const IS_OVER: SQL = sql.raw(isOver('t'));

function isOver(task: string): string {
  return `
  ${task}.status in ('succeeded', 'failed', 'cancelled')
  and not exists (select 1 from credit_holds h where h.task_id = ${task}.id and h.closed_at is null)
  and not exists (select 1 from credit_refunds r where r.task_id = ${task}.id and r.status in ('pending', 'manual'))
  and not exists (select 1 from dispatches d where d.task_id = ${task}.id and d.next_watch_at is not null)`;
}

/**
 * No composite needs the task `t` any more: neither the one that started it, nor a revision that takes its result over,
 * goes on.
 */
export const IS_FREE: SQL = sql.raw(`
  not exists (
    select 1 from generation_tasks parent where parent.id = t.parent_id and not (${isOver('parent')}))
  and not exists (
    select 1 from composite_steps s join generation_tasks taker on taker.id = s.task_id
    where s.child_task_id = t.id and not (${isOver('taker')}))`);

/**
 * Smallest id of a task that was submitted less than so many days ago. Ids carry the time of their making and a task
 * ends after it was submitted, so everything that is old enough stands before this one in the index.
 */
const idOf = (days: number): SQL => sql`
  (lpad(to_hex((extract(epoch from now() - make_interval(days => ${days}::int)) * 1000)::bigint), 12, '0')
    || '00000000000000000000')::uuid`;

const before = (days: number): SQL => sql`now() - make_interval(days => ${days}::int)`;

async function countOf(db: Db, statement: SQL): Promise<number> {
  return (await db.execute(statement)).length;
}

export function deleteExpiredSessions(db: Db, limit: number): Promise<number> {
  return countOf(
    db,
    sql`with old as materialized (
      select id from sessions where expires_at < now() order by expires_at limit ${limit} for update skip locked)
    delete from sessions using old where sessions.id = old.id returning 1`,
  );
}

/** Counters whose window is over; the limiter would start them anew. */
export function deleteExpiredRateLimits(db: Db, limit: number): Promise<number> {
  return countOf(
    db,
    sql`with old as materialized (
      select key from rate_limits where expire < now() limit ${limit} for update skip locked)
    delete from rate_limits using old where rate_limits.key = old.key returning 1`,
  );
}

/** Daemons that are gone: each restart makes a new worker id. */
export function deleteGoneWorkers(db: Db, input: { days: number; limit: number }): Promise<number> {
  return countOf(
    db,
    sql`with old as materialized (
      select worker_id from maintenance_workers where last_seen_at < ${before(input.days)}
      limit ${input.limit} for update skip locked)
    delete from maintenance_workers w using old where w.worker_id = old.worker_id returning 1`,
  );
}

/** Share links that have shown nothing for so many days: nobody asks any more why. */
export function deleteEndedShares(db: Db, input: { days: number; limit: number }): Promise<number> {
  return countOf(
    db,
    sql`with old as materialized (
      select id from share_links where least(revoked_at, expires_at) < ${before(input.days)}
      limit ${input.limit} for update skip locked)
    delete from share_links s using old where s.id = old.id returning 1`,
  );
}

/** Request keys of tasks that ended so long ago that no client repeats the request any more. */
export function deleteOldRequestKeys(db: Db, input: { days: number; limit: number }): Promise<number> {
  return countOf(
    db,
    sql`with old as materialized (
      select k.task_id from request_keys k left join generation_tasks t on t.id = k.task_id
      where k.task_id < ${idOf(input.days)} and case when t.id is null then k.created_at < ${before(input.days)}
        else t.finished_at < ${before(input.days)} and ${IS_OVER} end
      order by k.task_id limit ${input.limit} for update of k skip locked)
    delete from request_keys k using old where k.task_id = old.task_id returning 1`,
  );
}

/** Events of tasks that ended so long ago; counts tasks. */
export async function deleteOldEvents(db: Db, input: { days: number; limit: number }): Promise<number> {
  const rows = await db.execute<{ task_id: string }>(sql`
    select distinct e.task_id from generation_task_events e join generation_tasks t on t.id = e.task_id
    where e.task_id < ${idOf(input.days)} and t.finished_at < ${before(input.days)} and ${IS_OVER}
    order by e.task_id limit ${input.limit}`);
  const taskIds = rows.map((row) => row.task_id);
  if (taskIds.length === 0) return 0;
  await db.transaction(async (tx) => {
    // The trigger lets nobody else delete events, and nobody at all change them.
    await tx.execute(sql`set local sidelane.retention = 'on'`);
    await tx.execute(sql`delete from generation_task_events where task_id = any(${uuidArray(taskIds)})`);
  });
  return taskIds.length;
}
