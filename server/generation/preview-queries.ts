import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { outputs } from '#server/db/schema/index.ts';

export type PreviewDue = {
  id: string;
  kind: 'image' | 'video' | 'audio' | 'text';
  mime: string;
  storageKey: string;
};

const columns = { id: outputs.id, kind: outputs.kind, mime: outputs.mime, storageKey: outputs.storageKey };
const due = and(isNull(outputs.previewTriedAt), inArray(outputs.kind, ['image', 'video']));

export async function previewsDueOfTask(db: Db, taskId: string): Promise<PreviewDue[]> {
  return db
    .select(columns)
    .from(outputs)
    .where(and(eq(outputs.taskId, taskId), due));
}

/** Outputs whose preview was never tried because a process ended in between. */
export async function previewsLeftOver(db: Db, limit: number): Promise<PreviewDue[]> {
  return db
    .select(columns)
    .from(outputs)
    .where(and(due, sql`${outputs.createdAt} < now() - interval '30 seconds'`))
    .orderBy(outputs.id)
    .limit(limit);
}

/** Records the preview and lets pages see it; false when the output was removed meanwhile. */
export async function savePreview(db: Db, outputId: string, previewKey: string | null): Promise<boolean> {
  const rows = await db.execute(sql`
    with saved as (
      update outputs set preview_key = ${previewKey}, preview_tried_at = now()
      where id = ${outputId} and removed_at is null
      returning task_id)
    update generation_tasks t set version = t.version + 1, updated_at = now() from saved where t.id = saved.task_id
    returning 1`);
  return rows.length > 0;
}
