import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import type { Kind, TaskKind } from '#server/generation/status.ts';
import { uuidArray } from '#server/lib/leases.ts';
import type { LibraryFilter, LibraryItem, StorageView } from './schemas.ts';
import type { Maker } from './shared.ts';

/** Where a file stands in the library: newest task first, then by its number. */
export type Place = { taskId: string; ordinal: number };

type ItemRow = {
  id: string;
  task_id: string;
  ordinal: number;
  kind: Kind;
  mime: string;
  bytes: string | number;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  has_preview: boolean;
  prompt: string;
  model_slug: string;
  model_title: string;
  made_by: Maker;
  is_favorite: boolean;
  submitted_at: string;
  trashed_at: string | null;
};

const MADE_BY = sql`case when coalesce(p.kind, t.kind) in ('agent', 'drama') then coalesce(p.kind, t.kind) else 'own' end`;

const ITEM = sql`
  o.id, o.task_id, o.ordinal, o.kind, o.mime, o.bytes, o.width, o.height, o.duration_ms,
  o.preview_key is not null as has_preview, left(d.prompt, 300) as prompt,
  d.snapshot ->> 'modelSlug' as model_slug, d.snapshot ->> 'modelTitle' as model_title,
  ${MADE_BY} as made_by, o.favorite_at is not null as is_favorite, t.submitted_at, o.trashed_at`;

const FROM = sql`
  generation_tasks t
  join outputs o on o.task_id = t.id
  join generation_task_details d on d.task_id = t.id
  left join generation_tasks p on p.id = t.parent_id`;

/**
 * Thrown-away files that their owner wants gone at once are marked with this moment: they are in no list, and the next
 * turn of the retention lane removes them.
 */
export const GONE_AT = sql`'epoch'::timestamptz`;

/** Smallest task id of a day's beginning in the owner's time zone: ids carry the time of their making. */
const firstIdOf = (userId: string, day: string, plusDays: number): SQL => sql`(
  select (lpad(to_hex((extract(epoch from (${day}::date + ${plusDays}::int)::timestamp
      at time zone coalesce(u.time_zone, 'UTC')) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
  from users u where u.id = ${userId})`;

/** `%`, `_` and the escape itself stand for themselves. */
const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;

function conditions(userId: string, filter: LibraryFilter): SQL {
  const parts: SQL[] = [
    sql`t.user_id = ${userId}`,
    sql`o.removed_at is null`,
    filter.trash ? sql`o.trashed_at > ${GONE_AT}` : sql`o.trashed_at is null`,
  ];
  if (filter.kind) parts.push(sql`o.kind = ${filter.kind}`);
  if (filter.model) parts.push(sql`t.model_id = (select m.id from models m where m.slug = ${filter.model})`);
  if (filter.from) parts.push(sql`t.id >= ${firstIdOf(userId, filter.from, 0)}`);
  if (filter.to) parts.push(sql`t.id < ${firstIdOf(userId, filter.to, 1)}`);
  if (filter.favorite) parts.push(sql`o.favorite_at is not null`);
  if (filter.collection) {
    parts.push(sql`exists (
      select 1 from collection_outputs c where c.collection_id = ${filter.collection} and c.output_id = o.id)`);
  }
  if (filter.madeBy) parts.push(sql`${MADE_BY} = ${filter.madeBy}`);
  if (filter.text) parts.push(sql`d.prompt ilike ${likePattern(filter.text)}`);
  return sql.join(parts, sql` and `);
}

const after = ({ taskId, ordinal }: Place): SQL =>
  sql`t.id <= ${taskId}::uuid and (t.id < ${taskId}::uuid or o.ordinal > ${ordinal})`;
const before = ({ taskId, ordinal }: Place): SQL =>
  sql`t.id >= ${taskId}::uuid and (t.id > ${taskId}::uuid or o.ordinal < ${ordinal})`;

/** A page of the library, in one statement. */
export async function listItems(
  db: Db,
  input: { userId: string; filter: LibraryFilter; after: Place | undefined; limit: number },
): Promise<LibraryItem[]> {
  const { userId, filter, limit } = input;
  const rows = await db.execute<ItemRow>(sql`
    select ${ITEM} from ${FROM}
    where ${conditions(userId, filter)} ${input.after ? sql`and ${after(input.after)}` : sql``}
    order by t.id desc, o.ordinal limit ${limit}`);
  return rows.map(toItem);
}

/** Ids of the files before and after a place, in the same list. */
export async function findNeighbours(
  db: Db,
  input: { userId: string; filter: LibraryFilter; place: Place },
): Promise<{ previousId: string | null; nextId: string | null }> {
  const where = conditions(input.userId, input.filter);
  const [row] = await db.execute<{ previous_id: string | null; next_id: string | null }>(sql`
    select (select o.id from ${FROM} where ${where} and ${before(input.place)}
        order by t.id, o.ordinal desc limit 1) as previous_id,
      (select o.id from ${FROM} where ${where} and ${after(input.place)}
        order by t.id desc, o.ordinal limit 1) as next_id`);
  return { previousId: row?.previous_id ?? null, nextId: row?.next_id ?? null };
}

type DetailRow = LibraryItem & {
  fullPrompt: string;
  params: Record<string, unknown>;
  sha256: string;
  taskKind: TaskKind;
  parent: { id: string; kind: TaskKind } | null;
  chargedCredits: number | null;
  delivered: number;
  late: boolean;
  collections: { id: string; name: string }[];
};

/** One file of its owner with what its page shows; also from the trash. */
export async function findItem(
  db: Db,
  input: { userId: string; outputId: string },
): Promise<DetailRow | undefined> {
  const [row] = await db.execute<
    ItemRow & {
      full_prompt: string;
      params: Record<string, unknown>;
      sha256: string;
      late: boolean;
      task_kind: TaskKind;
      parent_id: string | null;
      parent_kind: TaskKind | null;
      charged: string | number | null;
      delivered: number;
      collections: { id: string; name: string }[];
    }
  >(sql`
    select ${ITEM}, d.prompt as full_prompt, d.params, o.sha256, o.late, t.kind as task_kind,
      p.id as parent_id, p.kind as parent_kind, h.captured_credits as charged,
      (select count(*)::int from outputs each where each.task_id = t.id) as delivered,
      (select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name) order by lower(c.name)), '[]'::jsonb)
        from collection_outputs x join collections c on c.id = x.collection_id where x.output_id = o.id) as collections
    from ${FROM} left join credit_holds h on h.task_id = t.id
    where o.id = ${input.outputId} and t.user_id = ${input.userId} and o.removed_at is null
      and o.trashed_at is distinct from ${GONE_AT}`);
  if (!row) return undefined;
  return {
    ...toItem(row),
    fullPrompt: row.full_prompt,
    params: row.params,
    sha256: row.sha256,
    taskKind: row.task_kind,
    parent: row.parent_id && row.parent_kind ? { id: row.parent_id, kind: row.parent_kind } : null,
    chargedCredits: row.charged === null ? null : Number(row.charged),
    delivered: row.delivered,
    late: row.late,
    collections: row.collections,
  };
}

function toItem(row: ItemRow): LibraryItem {
  return {
    id: row.id,
    taskId: row.task_id,
    ordinal: row.ordinal,
    kind: row.kind,
    mime: row.mime,
    bytes: Number(row.bytes),
    width: row.width,
    height: row.height,
    durationMs: row.duration_ms,
    url: `/files/outputs/${row.id}`,
    previewUrl: row.has_preview ? `/files/outputs/${row.id}/preview` : null,
    prompt: row.prompt,
    model: { slug: row.model_slug, title: row.model_title },
    madeBy: row.made_by,
    isFavorite: row.is_favorite,
    submittedAt: new Date(row.submitted_at),
    trashedAt: row.trashed_at === null ? null : new Date(row.trashed_at),
  };
}

/** Tasks that are looked at for the models a person has used. */
const RECENT_TASKS = 2_000;

export async function listUsedModels(db: Db, userId: string): Promise<{ slug: string; title: string }[]> {
  return await db.execute<{ slug: string; title: string }>(sql`
    with recent as materialized (
      select model_id from generation_tasks where user_id = ${userId} order by id desc limit ${RECENT_TASKS})
    select m.slug, m.title from models m where m.id in (select model_id from recent) order by m.title`);
}

/** Sums over the files that are there, in one statement. */
export async function sumStorage(db: Db, userId: string): Promise<StorageView> {
  const rows = await db.execute<{ part: Kind | 'trash' | 'uploads'; files: number; bytes: number }>(sql`
    select case when o.trashed_at is null then o.kind else 'trash' end as part,
      count(*)::float8 as files, sum(o.bytes)::float8 as bytes
    from generation_tasks t join outputs o on o.task_id = t.id
    where t.user_id = ${userId} and o.removed_at is null group by 1
    union all
    select 'uploads', count(*)::float8, coalesce(sum(bytes), 0)::float8 from uploads where user_id = ${userId}`);
  const nothing = { files: 0, bytes: 0 };
  const parts = new Map(rows.map(({ part, files, bytes }) => [part, { files, bytes }]));
  return {
    kinds: (['image', 'video', 'audio', 'text'] as const).flatMap((kind) => {
      const sum = parts.get(kind);
      return sum ? [{ kind, ...sum }] : [];
    }),
    trash: parts.get('trash') ?? nothing,
    uploads: parts.get('uploads') ?? nothing,
    totalBytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export type ZipRow = {
  id: string;
  taskId: string;
  ordinal: number;
  kind: Kind;
  mime: string;
  bytes: number;
  storageKey: string;
  prompt: string;
  createdAt: Date;
};

/** What goes into an archive: chosen files, or all of a list. */
export type ZipChoice = { outputIds: readonly string[] } | { filter: LibraryFilter };

const chosenBy = (userId: string, choice: ZipChoice): SQL =>
  'filter' in choice
    ? conditions(userId, choice.filter)
    : sql`${conditions(userId, {})} and o.id = any(${uuidArray(choice.outputIds)})`;

/** Of these files, those of this person that are there, in the order of the library. */
export async function listForZip(
  db: Db,
  input: { userId: string; choice: ZipChoice; limit: number },
): Promise<ZipRow[]> {
  const rows = await db.execute<{
    id: string;
    task_id: string;
    ordinal: number;
    kind: Kind;
    mime: string;
    bytes: string | number;
    storage_key: string;
    prompt: string;
    created_at: string;
  }>(sql`
    select o.id, o.task_id, o.ordinal, o.kind, o.mime, o.bytes, o.storage_key, left(d.prompt, 60) as prompt, o.created_at
    from ${FROM} where ${chosenBy(input.userId, input.choice)}
    order by t.id desc, o.ordinal limit ${input.limit}`);
  return rows.map((row) => ({
    id: row.id,
    taskId: row.task_id,
    ordinal: row.ordinal,
    kind: row.kind,
    mime: row.mime,
    bytes: Number(row.bytes),
    storageKey: row.storage_key,
    prompt: row.prompt,
    createdAt: new Date(row.created_at),
  }));
}

/** Number and bytes of the files of a list, of at most `limit` of them. */
export async function sumFiles(
  db: Db,
  input: { userId: string; filter: LibraryFilter; limit: number },
): Promise<{ files: number; bytes: number }> {
  const [row] = await db.execute<{ files: number; bytes: number }>(sql`
    select count(*)::float8 as files, coalesce(sum(bytes), 0)::float8 as bytes
    from (select o.bytes from ${FROM} where ${conditions(input.userId, input.filter)} limit ${input.limit}) as listed`);
  return row ?? { files: 0, bytes: 0 };
}
