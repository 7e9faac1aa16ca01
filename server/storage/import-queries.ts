import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Db, DbOrTx } from '#server/db/client.ts';
import { generationTasks, outputs, uploads } from '#server/db/schema/index.ts';
import { UPLOAD_IN_REMOVAL, type Upload } from './queries.ts';

/** A user's output whose file is there and was not thrown away. */
export async function findOwnOutput(db: DbOrTx, input: { userId: string; outputId: string }) {
  const [row] = await db
    .select({
      ordinal: outputs.ordinal,
      mime: outputs.mime,
      bytes: outputs.bytes,
      storageKey: outputs.storageKey,
    })
    .from(outputs)
    .innerJoin(generationTasks, eq(generationTasks.id, outputs.taskId))
    .where(
      and(
        eq(outputs.id, input.outputId),
        eq(generationTasks.userId, input.userId),
        isNull(outputs.removedAt),
        isNull(outputs.trashedAt),
      ),
    );
  return row;
}

/** The copy of an output, and whether its file is about to be removed. */
export async function findImported(
  db: DbOrTx,
  outputId: string,
): Promise<{ id: string; storageKey: string; isInRemoval: boolean } | undefined> {
  const [row] = await db
    .select({
      id: uploads.id,
      storageKey: uploads.storageKey,
      isInRemoval: sql<boolean>`${uploads.usedAt} is not distinct from ${UPLOAD_IN_REMOVAL}`,
    })
    .from(uploads)
    .where(eq(uploads.sourceOutputId, outputId));
  return row;
}

/** False when somebody else copied the same output first. */
export async function insertImported(db: Db, row: typeof uploads.$inferInsert): Promise<boolean> {
  const rows = await db.insert(uploads).values(row).onConflictDoNothing().returning({ id: uploads.id });
  return rows.length === 1;
}

/** Gives a copy whose old file was on its way out a new file. False when it is gone, or somebody else has done it. */
export async function refileImported(
  db: Db,
  input: { id: string; from: string; file: Pick<Upload, 'storageKey' | 'bytes' | 'sha256'> },
): Promise<boolean> {
  const rows = await db
    .update(uploads)
    .set({ ...input.file, usedAt: null, createdAt: sql`now()` })
    .where(
      and(
        eq(uploads.id, input.id),
        eq(uploads.storageKey, input.from),
        eq(uploads.usedAt, UPLOAD_IN_REMOVAL),
      ),
    )
    .returning({ id: uploads.id });
  return rows.length === 1;
}
