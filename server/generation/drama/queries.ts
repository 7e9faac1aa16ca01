import { and, isNull, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { generationTasks } from '#server/db/schema/index.ts';
import type { Lease } from '../event-queries.ts';
import { holds } from '../lease-queries.ts';

/** Shows how far a composition is; fenced, keeps the lease. False when the lease is lost. */
export async function saveComposeProgress(
  db: Db,
  input: { lease: Lease; progress: number },
): Promise<boolean> {
  const rows = await db
    .update(generationTasks)
    .set({
      progress: input.progress,
      version: sql`${generationTasks.version}
        + case when ${generationTasks.progress} is distinct from ${input.progress} then 1 else 0 end`,
    })
    .where(and(holds(input.lease), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id });
  return rows.length === 1;
}
