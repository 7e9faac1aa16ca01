import { sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import type { Kind } from '#server/generation/status.ts';

/** Database rows of share links; addresses are made from them in `share-address.ts`. */

export type ShareRow = {
  id: string;
  outputId: string;
  showPrompt: boolean;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  views: number;
  isExpired: boolean;
  /** The file was thrown away or removed. */
  isFileGone: boolean;
};

type Raw = {
  id: string;
  output_id: string;
  show_prompt: boolean;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  views: string | number;
  is_expired: boolean;
  is_file_gone: boolean;
};

const COLUMNS = sql`
  s.id, s.output_id, s.show_prompt, s.created_at, s.expires_at, s.revoked_at, s.views,
  coalesce(s.expires_at <= now(), false) as is_expired,
  (o.trashed_at is not null or o.removed_at is not null) as is_file_gone`;

const dateOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text));

const toRow = (raw: Raw): ShareRow => ({
  id: raw.id,
  outputId: raw.output_id,
  showPrompt: raw.show_prompt,
  createdAt: new Date(raw.created_at),
  expiresAt: dateOrNull(raw.expires_at),
  revokedAt: dateOrNull(raw.revoked_at),
  views: Number(raw.views),
  isExpired: raw.is_expired,
  isFileGone: raw.is_file_gone,
});

/** False: the file is not this person's, or it was thrown away or removed. */
export async function insertShare(
  db: Db,
  input: { id: string; userId: string; outputId: string; showPrompt: boolean; days: number | null },
): Promise<boolean> {
  const rows = await db.execute(sql`
    insert into share_links (id, user_id, output_id, show_prompt, expires_at)
    select ${input.id}::uuid, t.user_id, o.id, ${input.showPrompt}::boolean, now() + make_interval(days => ${input.days}::int)
    from outputs o join generation_tasks t on t.id = o.task_id
    where o.id = ${input.outputId} and t.user_id = ${input.userId} and o.trashed_at is null and o.removed_at is null
    returning 1`);
  return rows.length === 1;
}

/** False: there is no such link of this person. Repeated calls keep the first moment. */
export async function saveRevoked(db: Db, input: { userId: string; shareId: string }): Promise<boolean> {
  const rows = await db.execute(sql`
    update share_links set revoked_at = coalesce(revoked_at, now())
    where id = ${input.shareId} and user_id = ${input.userId} returning 1`);
  return rows.length === 1;
}

/** Of one file, newest first. */
export async function listSharesOf(db: Db, input: { userId: string; outputId: string }): Promise<ShareRow[]> {
  const rows = await db.execute<Raw>(sql`
    select ${COLUMNS} from share_links s join outputs o on o.id = s.output_id
    where s.output_id = ${input.outputId} and s.user_id = ${input.userId} order by s.id desc limit 50`);
  return rows.map(toRow);
}

type ShareListRow = ShareRow & { kind: Kind; hasPreview: boolean; prompt: string };

/** All of a person, newest first. */
export async function listShares(
  db: Db,
  input: { userId: string; cursor: string | undefined; limit: number },
): Promise<ShareListRow[]> {
  const rows = await db.execute<Raw & { kind: Kind; has_preview: boolean; prompt: string }>(sql`
    select ${COLUMNS}, o.kind, o.preview_key is not null as has_preview, left(d.prompt, 120) as prompt
    from share_links s join outputs o on o.id = s.output_id
      join generation_task_details d on d.task_id = o.task_id
    where s.user_id = ${input.userId} ${input.cursor ? sql`and s.id < ${input.cursor}::uuid` : sql``}
    order by s.id desc limit ${input.limit}`);
  return rows.map((raw) => ({
    ...toRow(raw),
    kind: raw.kind,
    hasPreview: raw.has_preview,
    prompt: raw.prompt,
  }));
}

export type SharedOutput = {
  ownerId: string;
  taskId: string;
  ordinal: number;
  kind: Kind;
  mime: string;
  bytes: number;
  sha256: string;
  storageKey: string;
  previewKey: string | null;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  prompt: string | null;
  modelTitle: string;
  madeAt: Date;
  expiresAt: Date | null;
};

/**
 * What a link shows now. Undefined when it ended: it expired or was revoked, the file was thrown away or removed, or the
 * account is disabled or closed.
 */
export async function findShared(db: Db, shareId: string): Promise<SharedOutput | undefined> {
  const [row] = await db.execute<{
    owner_id: string;
    task_id: string;
    ordinal: number;
    kind: Kind;
    mime: string;
    bytes: string | number;
    sha256: string;
    storage_key: string;
    preview_key: string | null;
    width: number | null;
    height: number | null;
    duration_ms: number | null;
    prompt: string | null;
    model_title: string;
    made_at: string;
    expires_at: string | null;
  }>(sql`
    select s.user_id as owner_id, o.task_id, o.ordinal, o.kind, o.mime, o.bytes, o.sha256, o.storage_key, o.preview_key,
      o.width, o.height, o.duration_ms, case when s.show_prompt then d.prompt end as prompt,
      d.snapshot ->> 'modelTitle' as model_title, o.created_at as made_at, s.expires_at
    from share_links s join users u on u.id = s.user_id join outputs o on o.id = s.output_id
      join generation_task_details d on d.task_id = o.task_id
    where s.id = ${shareId} and s.revoked_at is null and (s.expires_at is null or s.expires_at > now())
      and o.trashed_at is null and o.removed_at is null and u.disabled_at is null and u.deleted_at is null`);
  if (!row) return undefined;
  return {
    ownerId: row.owner_id,
    taskId: row.task_id,
    ordinal: row.ordinal,
    kind: row.kind,
    mime: row.mime,
    bytes: Number(row.bytes),
    sha256: row.sha256,
    storageKey: row.storage_key,
    previewKey: row.preview_key,
    width: row.width,
    height: row.height,
    durationMs: row.duration_ms,
    prompt: row.prompt,
    modelTitle: row.model_title,
    madeAt: new Date(row.made_at),
    expiresAt: dateOrNull(row.expires_at),
  };
}

export async function countView(db: Db, shareId: string): Promise<void> {
  await db.execute(sql`update share_links set views = views + 1 where id = ${shareId}`);
}
