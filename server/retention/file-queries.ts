import { sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { uuidArray } from '#server/lib/leases.ts';
import { UPLOAD_IN_REMOVAL } from '#server/storage/queries.ts';
import { IS_FREE, IS_OVER } from './row-queries.ts';

/** What is to be removed from storage. Chosen at random, so that a file that cannot be removed holds up no other. */

export type RemovableOutput = { id: string; storageKey: string; previewKey: string | null };
export type RemovableUpload = { id: string; storageKey: string };

type OutputRow = { id: string; storage_key: string; preview_key: string | null };

const toOutput = (row: OutputRow): RemovableOutput => ({
  id: row.id,
  storageKey: row.storage_key,
  previewKey: row.preview_key,
});

/**
 * Outputs past their owner's days, counted from the task's end; what arrived after it, late, from its own arrival, so
 * that nobody loses a result before they could see it.
 */
export async function outputsPastRetention(db: Db, limit: number): Promise<RemovableOutput[]> {
  const rows = await db.execute<OutputRow>(sql`
    select o.id, o.storage_key, o.preview_key
    from users u join generation_tasks t on t.user_id = u.id join outputs o on o.task_id = t.id
    where u.output_retention_days is not null and o.removed_at is null
      and greatest(t.finished_at, o.created_at) < now() - make_interval(days => u.output_retention_days)
      and ${IS_OVER} and ${IS_FREE}
    order by random() limit ${limit}`);
  return rows.map(toOutput);
}

/** Outputs that their owner threw away so many days ago. */
export async function outputsPastTrash(
  db: Db,
  input: { days: number; limit: number },
): Promise<RemovableOutput[]> {
  const rows = await db.execute<OutputRow>(sql`
    select o.id, o.storage_key, o.preview_key
    from outputs o join generation_tasks t on t.id = o.task_id
    where o.trashed_at < now() - make_interval(days => ${input.days}::int) and o.removed_at is null
      and ${IS_OVER} and ${IS_FREE}
    order by random() limit ${input.limit}`);
  return rows.map(toOutput);
}

export async function outputsOfTask(db: Db, taskId: string): Promise<RemovableOutput[]> {
  const rows = await db.execute<OutputRow>(sql`
    select id, storage_key, preview_key from outputs where task_id = ${taskId} and removed_at is null`);
  return rows.map(toOutput);
}

/**
 * The row stays as what was delivered; pages that show the task are told. Not while it names a preview that was made
 * since: then its turn comes again.
 */
export async function markOutputRemoved(db: Db, output: RemovableOutput): Promise<void> {
  await db.execute(sql`
    with gone as (
      update outputs
      set removed_at = now(), preview_key = null, preview_tried_at = coalesce(preview_tried_at, now())
      where id = ${output.id} and removed_at is null and preview_key is not distinct from ${output.previewKey}
      returning task_id)
    update generation_tasks t set version = t.version + 1, updated_at = now() from gone where t.id = gone.task_id`);
}

/** Takes unused uploads out of use, so that no submit can take one whose file is going. */
export async function takeUnusedUploads(db: Db, input: { hours: number; limit: number }): Promise<void> {
  await db.execute(sql`
    with old as materialized (
      select id from uploads
      where used_at is null and created_at < now() - make_interval(hours => ${input.hours}::int)
      limit ${input.limit} for no key update skip locked)
    update uploads f set used_at = ${UPLOAD_IN_REMOVAL} from old where f.id = old.id`);
}

/** Takes all uploads of closed accounts out of use once every task of the account is over. */
export async function takeUploadsOfClosed(
  db: Db,
  input: { userIds: readonly string[]; limit: number },
): Promise<void> {
  await db.execute(sql`
    with old as materialized (
      select f.id from uploads f
      where f.user_id = any(${uuidArray(input.userIds)}) and f.used_at is distinct from ${UPLOAD_IN_REMOVAL}
        and not exists (select 1 from generation_tasks t where t.user_id = f.user_id and not (${IS_OVER}))
      limit ${input.limit} for no key update of f skip locked)
    update uploads f set used_at = ${UPLOAD_IN_REMOVAL} from old where f.id = old.id`);
}

/**
 * Takes copies of results out of use whose result was removed by its owner's days, once no task that goes on may read them:
 * what was to go is gone then, and not only its first file.
 */
export async function takeCopiesOfRemoved(db: Db, limit: number): Promise<void> {
  await db.execute(sql`
    with old as materialized (
      select f.id from uploads f join outputs o on o.id = f.source_output_id
      where o.removed_at is not null and f.used_at is distinct from ${UPLOAD_IN_REMOVAL}
        and not exists (
          select 1 from generation_tasks t join generation_task_details d on d.task_id = t.id
          where t.user_id = f.user_id and f.id = any(d.reference_ids) and not (${IS_OVER}))
      limit ${limit} for no key update of f skip locked)
    update uploads f set used_at = ${UPLOAD_IN_REMOVAL} from old where f.id = old.id`);
}

/** Uploads that were taken out of use, now or by a turn that did not finish. */
export async function uploadsInRemoval(db: Db, limit: number): Promise<RemovableUpload[]> {
  const rows = await db.execute<{ id: string; storage_key: string }>(sql`
    select id, storage_key from uploads where used_at = ${UPLOAD_IN_REMOVAL} order by random() limit ${limit}`);
  return rows.map((row) => ({ id: row.id, storageKey: row.storage_key }));
}

/**
 * Of these dispatches, those whose task is over and was so long enough that no operator will fetch its result again: a
 * month, or at once when the account was closed. Ids that no dispatch has are not among them.
 */
export async function dispatchesDone(
  db: Db,
  input: { ids: readonly string[]; limit: number },
): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select d.id from dispatches d join generation_tasks t on t.id = d.task_id join users u on u.id = t.user_id
    where d.id = any(${uuidArray(input.ids)}) and ${IS_OVER}
      and (t.finished_at < now() - interval '30 days' or u.deleted_at is not null)
    order by random() limit ${input.limit}`);
  return rows.map((row) => row.id);
}

/** After its file. */
export async function deleteUploadRow(db: Db, uploadId: string): Promise<void> {
  await db.execute(sql`delete from uploads where id = ${uploadId} and used_at = ${UPLOAD_IN_REMOVAL}`);
}
