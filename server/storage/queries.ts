import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { generationTasks, outputs, uploads } from '#server/db/schema/index.ts';
import type { Kind } from '#server/generation/status.ts';

/** An output with what is needed to decide who may see it and how it is served. */
export type OutputFile = {
  id: string;
  taskId: string;
  userId: string;
  ordinal: number;
  kind: Kind;
  mime: string;
  bytes: number;
  sha256: string;
  storageKey: string;
  previewKey: string | null;
  /** The file is gone, by the owner's retention setting. */
  removedAt: Date | null;
  /** Thrown away by its owner, who alone sees it until it is removed. */
  trashedAt: Date | null;
};

export async function findOutputFile(db: DbOrTx, id: string): Promise<OutputFile | undefined> {
  const rows = await db
    .select({
      id: outputs.id,
      taskId: outputs.taskId,
      userId: generationTasks.userId,
      ordinal: outputs.ordinal,
      kind: outputs.kind,
      mime: outputs.mime,
      bytes: outputs.bytes,
      sha256: outputs.sha256,
      storageKey: outputs.storageKey,
      previewKey: outputs.previewKey,
      removedAt: outputs.removedAt,
      trashedAt: outputs.trashedAt,
    })
    .from(outputs)
    .innerJoin(generationTasks, eq(generationTasks.id, outputs.taskId))
    .where(eq(outputs.id, id));
  return rows[0];
}

export type Upload = typeof uploads.$inferSelect;

export async function insertUpload(db: DbOrTx, row: typeof uploads.$inferInsert): Promise<Upload> {
  const rows = await db.insert(uploads).values(row).returning();
  const inserted = rows[0];
  if (!inserted) throw new Error('An insert returned no row.');
  return inserted;
}

export async function findUpload(db: DbOrTx, id: string): Promise<Upload | undefined> {
  const rows = await db.select().from(uploads).where(eq(uploads.id, id));
  return rows[0];
}

/**
 * The uploads of this user among `ids`, in the order of `ids`. A foreign or unknown id is simply not among them:
 * compare lengths.
 */
export async function getUploads(db: DbOrTx, userId: string, ids: readonly string[]): Promise<Upload[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .select()
    .from(uploads)
    .where(and(eq(uploads.userId, userId), inArray(uploads.id, [...ids])));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** `used_at` of an upload whose file is being removed: nobody can take it any more. */
export const UPLOAD_IN_REMOVAL = sql`'epoch'::timestamptz`;

/**
 * Keeps uploads from being cleaned up; called in the transaction of the submit that names them. False: one of them is
 * gone or being removed.
 */
export async function markUploadsUsed(db: DbOrTx, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true;
  await db
    .update(uploads)
    .set({ usedAt: sql`now()` })
    .where(and(inArray(uploads.id, [...ids]), isNull(uploads.usedAt)));
  const rows = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(inArray(uploads.id, [...ids]), ne(uploads.usedAt, UPLOAD_IN_REMOVAL)));
  return rows.length === new Set(ids).size;
}

/** Removes an upload that no task uses. False: it is in use, or not there. */
export async function deleteUnusedUpload(db: DbOrTx, id: string): Promise<boolean> {
  const rows = await db
    .delete(uploads)
    .where(and(eq(uploads.id, id), isNull(uploads.usedAt)))
    .returning({ id: uploads.id });
  return rows.length > 0;
}
