import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import {
  compositeTasks,
  creditHolds,
  generationTaskDetails,
  generationTasks,
} from '#server/db/schema/index.ts';
import type { TaskRow } from '../claim-queries.ts';
import type { CompositeRow } from './queries.ts';

export type CompositeBundle = {
  task: TaskRow;
  composite: CompositeRow;
  hold: typeof creditHolds.$inferSelect | null;
};

/** A user's composite with its hold; undefined for any other task. */
export async function readOwnComposite(
  db: Db,
  input: { userId: string; taskId: string },
): Promise<CompositeBundle | undefined> {
  const [row] = await db
    .select({ task: generationTasks, composite: compositeTasks, hold: creditHolds })
    .from(compositeTasks)
    .innerJoin(generationTasks, eq(generationTasks.id, compositeTasks.taskId))
    .leftJoin(creditHolds, eq(creditHolds.taskId, compositeTasks.taskId))
    .where(and(eq(compositeTasks.taskId, input.taskId), eq(generationTasks.userId, input.userId)));
  return row;
}

/** All revisions of the same work, first one first. */
export async function listVersions(db: Db, input: { userId: string; rootId: string; limit: number }) {
  return db
    .select({
      taskId: generationTasks.id,
      status: generationTasks.status,
      submittedAt: generationTasks.submittedAt,
    })
    .from(compositeTasks)
    .innerJoin(generationTasks, eq(generationTasks.id, compositeTasks.taskId))
    .where(and(eq(compositeTasks.rootId, input.rootId), eq(generationTasks.userId, input.userId)))
    .orderBy(asc(compositeTasks.taskId))
    .limit(input.limit);
}

/** What a composite has started itself, first one first: at most `limit`, and how many there are. */
export async function listChildTasks(db: Db, input: { parentId: string; limit: number }) {
  const isChild = eq(generationTasks.parentId, input.parentId);
  const [children, [counted]] = await Promise.all([
    db
      .select({
        taskId: generationTasks.id,
        kind: generationTasks.kind,
        status: generationTasks.status,
        modelTitle: sql<string>`${generationTaskDetails.snapshot}->>'modelTitle'`,
        prompt: sql<string>`left(${generationTaskDetails.prompt}, 200)`,
      })
      .from(generationTasks)
      .innerJoin(generationTaskDetails, eq(generationTaskDetails.taskId, generationTasks.id))
      .where(isChild)
      .orderBy(asc(generationTasks.id))
      .limit(input.limit),
    db.select({ total: count() }).from(generationTasks).where(isChild),
  ]);
  return { children, childCount: counted?.total ?? 0 };
}
