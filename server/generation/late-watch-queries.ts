import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { dispatches, generationTaskDetails, generationTasks, providerKeys } from '#server/db/schema/index.ts';
import { claimRows, unleased } from '#server/lib/leases.ts';
import { tellOfTask } from '#server/notifications/tell-owner.ts';
import type { Usage } from '#server/providers/provider.ts';
import type { DetailsRow, DispatchRow, SealedKeyRow, TaskRow } from './claim-queries.ts';
import { recordCost } from './cost/record-cost.ts';
import { appendEvent } from './event-queries.ts';

/** Longer than one poll and one transfer at their limits: watched rows are few and their leases are not renewed. */
const WATCH_LEASE_SECONDS = 2_400;

export type Watched = { dispatch: DispatchRow; task: TaskRow; details: DetailsRow; key: SealedKeyRow | null };

export async function claimLateWatches(
  db: Db,
  input: { executorId: string; limit: number },
): Promise<Watched[]> {
  const rows = await claimRows(db, {
    table: dispatches,
    leaseSeconds: WATCH_LEASE_SECONDS,
    executorId: input.executorId,
    due: sql`
      select id from ${dispatches}
      where next_watch_at is not null and next_watch_at <= now() and ${unleased(dispatches)}
      order by next_watch_at, id limit ${input.limit} for no key update skip locked`,
  });
  const watched: Watched[] = [];
  for (const dispatch of rows) {
    const [row] = await db
      .select({ task: generationTasks, details: generationTaskDetails, key: providerKeys })
      .from(generationTasks)
      .innerJoin(generationTaskDetails, eq(generationTaskDetails.taskId, generationTasks.id))
      .leftJoin(providerKeys, eq(providerKeys.id, dispatch.keyId ?? sql`null`))
      .where(eq(generationTasks.id, dispatch.taskId));
    if (row) watched.push({ dispatch, ...row });
  }
  return watched;
}

/** Looks again in `delayMs`, or ends the watch when its window is over or `done`. Fenced. */
export async function scheduleWatch(
  db: Db,
  input: { dispatch: DispatchRow; delayMs: number; done: boolean },
): Promise<void> {
  const next = sql`now() + make_interval(secs => ${input.delayMs / 1000})`;
  await db
    .update(dispatches)
    .set({
      leaseUntil: null,
      leasedBy: null,
      watchCount: sql`${dispatches.watchCount} + 1`,
      nextWatchAt: input.done
        ? null
        : (sql`case when ${next} > ${dispatches.watchUntil} then null else ${next} end` as never),
    })
    .where(and(eq(dispatches.id, input.dispatch.id), eq(dispatches.leaseToken, input.dispatch.leaseToken)));
}

/** A late success: the artefacts are the user's, the refund stays, status and ledger do not move. Once per dispatch. */
export async function recordLateSuccess(
  db: Db,
  dispatch: DispatchRow,
  /** Outputs stored now, results that upstream named, and what it says they took. */
  found: { outputs: number; artefacts: number; usage?: Usage },
): Promise<void> {
  await db.transaction(async (tx) => {
    const rows = await tx
      .update(dispatches)
      .set({
        nextWatchAt: null,
        leaseUntil: null,
        leasedBy: null,
        watchCount: sql`${dispatches.watchCount} + 1`,
      })
      .where(
        and(
          eq(dispatches.id, dispatch.id),
          eq(dispatches.leaseToken, dispatch.leaseToken),
          sql`${dispatches.nextWatchAt} is not null`,
        ),
      )
      .returning({ id: dispatches.id });
    if (rows.length === 0) return;
    await recordCost(tx, dispatch, found);
    await tx.update(generationTasks).set({ hasOutputs: true }).where(eq(generationTasks.id, dispatch.taskId));
    await appendEvent(tx, dispatch.taskId, {
      type: 'late_success',
      actor: 'executor',
      reason: 'Upstream delivered after all. The result is yours and the refund stays.',
      data: { outputs: found.outputs },
    });
    await tellOfTask(tx, { taskId: dispatch.taskId, type: 'task.late_success', charged: 0 });
  });
}
