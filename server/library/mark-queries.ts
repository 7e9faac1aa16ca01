import { sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { lockedInOrder, uuidArray } from '#server/lib/leases.ts';
import { GONE_AT } from './queries.ts';

type Selection = { userId: string; outputIds: readonly string[] };

/** Of these files, those of this person; each statement returns the ids that it has changed. */
async function changed(db: Db, statement: ReturnType<typeof sql>): Promise<string[]> {
  return (await db.execute<{ id: string }>(statement)).map(({ id }) => id);
}

export function saveFavorite(db: Db, input: Selection & { favorite: boolean }): Promise<string[]> {
  return changed(
    db,
    sql`update outputs o set favorite_at = ${input.favorite ? sql`coalesce(o.favorite_at, now())` : sql`null`}
    from generation_tasks t
    where t.id = o.task_id and t.user_id = ${input.userId} and o.id = any(${uuidArray(input.outputIds)})
      and o.removed_at is null
    returning o.id`,
  );
}

/** Pages that show the tasks are told by their version. Only of tasks that have ended. */
export function saveTrashed(db: Db, input: Selection): Promise<string[]> {
  return changed(
    db,
    sql`with gone as (
      update outputs o set trashed_at = now() from generation_tasks t
      where t.id = o.task_id and t.user_id = ${input.userId} and o.id = any(${uuidArray(input.outputIds)})
        and t.finished_at is not null and o.trashed_at is null and o.removed_at is null
      returning o.id, o.task_id),
    locked as materialized (${lockedInOrder(sql`array(select task_id from gone)`)}),
    told as (
      update generation_tasks t set version = t.version + 1, updated_at = now()
      from locked where t.id = locked.id)
    select id from gone`,
  );
}

export function saveRestored(db: Db, input: Selection): Promise<string[]> {
  return changed(
    db,
    sql`with back as (
      update outputs o set trashed_at = null from generation_tasks t
      where t.id = o.task_id and t.user_id = ${input.userId} and o.id = any(${uuidArray(input.outputIds)})
        and o.trashed_at > ${GONE_AT} and o.removed_at is null
      returning o.id, o.task_id),
    locked as materialized (${lockedInOrder(sql`array(select task_id from back)`)}),
    told as (
      update generation_tasks t set version = t.version + 1, updated_at = now()
      from locked where t.id = locked.id)
    select id from back`,
  );
}

/** Out of the trash and not back: the retention lane removes them with its next turn. */
export function saveGone(db: Db, input: Selection): Promise<string[]> {
  return changed(
    db,
    sql`update outputs o set trashed_at = ${GONE_AT}, favorite_at = null from generation_tasks t
    where t.id = o.task_id and t.user_id = ${input.userId} and o.id = any(${uuidArray(input.outputIds)})
      and o.trashed_at is not null and o.removed_at is null
    returning o.id`,
  );
}
