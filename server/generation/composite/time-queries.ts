import { and, eq } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { generationTaskEvents } from '#server/db/schema/index.ts';

/** The event of a stop by the deadline. */
export const TIME_UP = 'time_up';

/** Whether its stop is that of the deadline, and not the word of its user. */
export async function wasTimeUp(db: DbOrTx, taskId: string): Promise<boolean> {
  const rows = await db
    .select({ seq: generationTaskEvents.seq })
    .from(generationTaskEvents)
    .where(and(eq(generationTaskEvents.taskId, taskId), eq(generationTaskEvents.type, TIME_UP)))
    .limit(1);
  return rows.length === 1;
}
