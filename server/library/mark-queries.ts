import { type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '#server/db/client.ts';
import { lockedInOrder, uuidArray } from '#server/lib/leases.ts';
import { GONE_AT } from './queries.ts';

type Selection = { userId: string; outputIds: readonly string[] };

type Change = {
  /** Which of the files; holds as they are once they are locked. */
  where: SQL;
  set: SQL;
  /** Whether pages that show the files' tasks are told, by the tasks' version. */
  tells?: boolean;
};

/**
 * Changes those of the chosen files that are there and this person's, and returns their ids. They are locked in the order
 * of their ids, so that two selections that overlap never wait for each other, and by a statement of its own: one that
 * locks and changes finds the versions of before its lock when it changes, and waits at them for those who wait for it
 * while a third transaction refers to the row (which keeps a multixact of the version that has been replaced alive).
 */
function change(db: Db, { userId, outputIds }: Selection, { where, set, tells }: Change): Promise<string[]> {
  return db.transaction(async (tx) => {
    const rows = await tx.execute<{ id: string; taskId: string }>(sql`
      select o.id, o.task_id as "taskId" from outputs o join generation_tasks t on t.id = o.task_id
      where t.user_id = ${userId} and o.id = any(${uuidArray(outputIds)}) and o.removed_at is null and ${where}
      order by o.id for no key update of o`);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return ids;
    await tx.execute(sql`update outputs o set ${set} where o.id = any(${uuidArray(ids)})`);
    if (tells) await tellTasks(tx, [...new Set(rows.map(({ taskId }) => taskId))]);
    return ids;
  });
}

async function tellTasks(tx: Tx, taskIds: readonly string[]): Promise<void> {
  await tx.execute(lockedInOrder(uuidArray(taskIds)));
  await tx.execute(sql`
    update generation_tasks set version = version + 1, updated_at = now() where id = any(${uuidArray(taskIds)})`);
}

export function saveFavorite(db: Db, input: Selection & { favorite: boolean }): Promise<string[]> {
  return change(db, input, {
    where: sql`true`,
    set: sql`favorite_at = ${input.favorite ? sql`coalesce(o.favorite_at, now())` : sql`null`}`,
  });
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
  return change(db, input, {
    where: sql`o.trashed_at is null and ${IS_FREE}`,
    set: sql`trashed_at = now()`,
    tells: true,
  });
}

export function saveRestored(db: Db, input: Selection): Promise<string[]> {
  return change(db, input, {
    where: sql`o.trashed_at > ${GONE_AT}`,
    set: sql`trashed_at = null`,
    tells: true,
  });
}

/** Out of the trash and not back: the retention lane removes them with its next turn. */
export function saveGone(db: Db, input: Selection): Promise<string[]> {
  return change(db, input, {
    where: sql`o.trashed_at is not null`,
    set: sql`trashed_at = ${GONE_AT}, favorite_at = null`,
  });
}
