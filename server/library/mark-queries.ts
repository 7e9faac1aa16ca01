import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { lockedInOrder, uuidArray } from '#server/lib/leases.ts';
import { GONE_AT } from './queries.ts';

type Selection = { userId: string; outputIds: readonly string[] };

/** Of these files, those of this person; each statement returns the ids that it has changed. */
async function changed(db: Db, statement: SQL): Promise<string[]> {
  return (await db.execute<{ id: string }>(statement)).map(({ id }) => id);
}

/**
 * Of this person's chosen files that are there, those that `condition` holds for, locked in the order of their ids: two
 * selections that overlap never wait for each other.
 */
const chosen = ({ userId, outputIds }: Selection, condition: SQL): SQL => sql`
  chosen as materialized (
    select o.id, o.task_id from outputs o join generation_tasks t on t.id = o.task_id
    where t.user_id = ${userId} and o.id = any(${uuidArray(outputIds)}) and o.removed_at is null and ${condition}
    order by o.id for no key update of o)`;

/** Pages that show the tasks of the rows in `changed` are told by their version. */
const TOLD = sql`
  locked as materialized (${lockedInOrder(sql`array(select task_id from changed)`)}),
  told as (
    update generation_tasks t set version = t.version + 1, updated_at = now() from locked where t.id = locked.id)`;

export function saveFavorite(db: Db, input: Selection & { favorite: boolean }): Promise<string[]> {
  return changed(
    db,
    sql`with ${chosen(input, sql`true`)}
    update outputs o set favorite_at = ${input.favorite ? sql`coalesce(o.favorite_at, now())` : sql`null`}
    from chosen where o.id = chosen.id returning o.id`,
  );
}

/**
 * Nothing that goes on needs the file: its own task has ended, and so has every composite that ordered it or has taken
 * it over into a new version.
 */
const IS_FREE = sql`
  t.finished_at is not null
  and not exists (select 1 from generation_tasks parent where parent.id = t.parent_id and parent.finished_at is null)
  and not exists (
    select 1 from composite_steps s join generation_tasks taker on taker.id = s.task_id
    where s.child_task_id = t.id and taker.finished_at is null)`;

export function saveTrashed(db: Db, input: Selection): Promise<string[]> {
  return changed(
    db,
    sql`with ${chosen(input, sql`o.trashed_at is null and ${IS_FREE}`)},
    changed as (
      update outputs o set trashed_at = now() from chosen where o.id = chosen.id returning o.id, o.task_id),
    ${TOLD}
    select id from changed`,
  );
}

export function saveRestored(db: Db, input: Selection): Promise<string[]> {
  return changed(
    db,
    sql`with ${chosen(input, sql`o.trashed_at > ${GONE_AT}`)},
    changed as (
      update outputs o set trashed_at = null from chosen where o.id = chosen.id returning o.id, o.task_id),
    ${TOLD}
    select id from changed`,
  );
}

/** Out of the trash and not back: the retention lane removes them with its next turn. */
export function saveGone(db: Db, input: Selection): Promise<string[]> {
  return changed(
    db,
    sql`with ${chosen(input, sql`o.trashed_at is not null`)}
    update outputs o set trashed_at = ${GONE_AT}, favorite_at = null
    from chosen where o.id = chosen.id returning o.id`,
  );
}
