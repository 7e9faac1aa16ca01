import { asc, eq, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import {
  creditRefunds,
  dispatches,
  generationTaskDetails,
  generationTasks,
  providerChannels,
  users,
} from '#server/db/schema/index.ts';

/** Uncertain tasks, the one that the policy ends first at the top. */
export async function listUncertain(db: Db, limit: number) {
  return db
    .select({
      task: generationTasks,
      snapshot: generationTaskDetails.snapshot,
      userEmail: users.email,
      channelName: providerChannels.name,
      dispatch: dispatches,
    })
    .from(generationTasks)
    .innerJoin(generationTaskDetails, eq(generationTaskDetails.taskId, generationTasks.id))
    .innerJoin(users, eq(users.id, generationTasks.userId))
    .innerJoin(providerChannels, eq(providerChannels.id, generationTasks.channelId))
    .leftJoin(
      dispatches,
      sql`${dispatches.id} = (select d.id from ${dispatches} d where d.task_id = ${generationTasks.id} order by d.number desc limit 1)`,
    )
    .where(eq(generationTasks.status, 'uncertain'))
    .orderBy(asc(generationTasks.uncertainUntil), asc(generationTasks.id))
    .limit(limit);
}

/** Refunds that the lane gave up on. */
export async function listManualRefunds(db: Db, limit: number) {
  return db
    .select({
      taskId: creditRefunds.taskId,
      amountCredits: creditRefunds.amountCredits,
      lastError: creditRefunds.lastError,
      createdAt: creditRefunds.createdAt,
      userEmail: users.email,
    })
    .from(creditRefunds)
    .innerJoin(users, eq(users.id, creditRefunds.userId))
    .where(eq(creditRefunds.status, 'manual'))
    .orderBy(asc(creditRefunds.createdAt))
    .limit(limit);
}
