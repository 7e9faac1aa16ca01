import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import { dispatches } from '#server/db/schema/index.ts';
import type { ArtefactRef } from '#server/providers/provider.ts';
import type { DispatchRow, TaskRow } from './claim-queries.ts';
import { appendEvent, type Lease, type TaskEvent } from './event-queries.ts';
import { inMs, wakeTask } from './lease-queries.ts';

/** Opens the next dispatch of a task as `intent`. The caller has moved the task to `dispatching` in this transaction. */
export async function insertDispatch(
  tx: Tx,
  input: {
    id: string;
    task: TaskRow;
    lease: Lease;
    keyId: string | null;
    /** What upstream will take; undefined: not known. */
    cost: Pick<DispatchRow, 'costTerms' | 'costCurrency' | 'costOrderedMicros'> | undefined;
  },
): Promise<DispatchRow> {
  const [row] = await tx
    .insert(dispatches)
    .values({
      id: input.id,
      taskId: input.task.id,
      number:
        sql`(select coalesce(max(d.number), 0) + 1 from dispatches d where d.task_id = ${input.task.id})` as never,
      channelId: input.task.channelId,
      keyId: input.keyId,
      executorId: input.lease.executorId,
      claimToken: input.lease.token,
      ...input.cost,
    })
    .returning();
  if (!row) throw new Error('The dispatch row was not returned');
  return row;
}

/**
 * `intent → sent`, the one gate to a create call: only the holder of the claim that opened the dispatch passes, once,
 * and only while no cancel was asked for.
 */
export async function markDispatchSent(
  db: Db,
  input: { dispatchId: string; lease: Lease },
): Promise<boolean> {
  const rows = await db
    .update(dispatches)
    .set({ phase: 'sent', sentAt: sql`clock_timestamp()` })
    .where(
      and(
        eq(dispatches.id, input.dispatchId),
        eq(dispatches.phase, 'intent'),
        isNull(dispatches.outcome),
        eq(dispatches.claimToken, input.lease.token),
        sql`exists (select 1 from generation_tasks t where t.id = ${dispatches.taskId} and t.status = 'dispatching'
          and t.lease_token = ${input.lease.token} and t.leased_by = ${input.lease.executorId}
          and t.lease_until > clock_timestamp() and t.cancel_requested_at is null)`,
      ),
    )
    .returning({ id: dispatches.id });
  return rows.length === 1;
}

/**
 * Closes a dispatch that was never sent, so that nobody can send it any more; `problem` is what kept it from being
 * sent, for administrators. False when somebody sent it.
 */
export async function closeUnsentDispatch(
  db: DbOrTx,
  input: { dispatchId: string; from: 'call' | 'recovery'; problem?: string },
): Promise<boolean> {
  const rows = await db
    .update(dispatches)
    .set({
      outcome: 'not_sent',
      outcomeAt: sql`now()`,
      evidenceFrom: input.from,
      ...(input.problem ? { errorCode: 'prepare', errorMessage: input.problem.slice(0, 2_000) } : {}),
    })
    .where(
      and(eq(dispatches.id, input.dispatchId), eq(dispatches.phase, 'intent'), isNull(dispatches.outcome)),
    )
    .returning({ id: dispatches.id });
  return rows.length === 1;
}

export type OutcomePatch = Partial<
  Pick<
    typeof dispatches.$inferInsert,
    | 'outcome'
    | 'evidence'
    | 'upstreamId'
    | 'pollRef'
    | 'artefacts'
    | 'reportedUnits'
    | 'usage'
    | 'errorCode'
    | 'errorMessage'
    | 'rejectionScope'
    | 'retryAfterMs'
    | 'rawResult'
  >
>;

/**
 * Writes what became of a create call to its dispatch, whatever became of the lease (I6), and wakes the task. The
 * first word stands: a row that has an outcome keeps it. Only the id that the call itself was answered takes the place
 * of one that was told from outside meanwhile: a gateway's webhook may name the job as the vendor behind it does.
 */
export async function recordEvidence(
  db: Db,
  input: {
    dispatchId: string;
    taskId: string;
    from: string;
    patch: OutcomePatch;
    event?: TaskEvent;
    /** The writer's own claim: while it holds, the writer goes on by itself and its delays stand. */
    knower?: Lease;
  },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Task before dispatch, as everywhere: two writers can then never wait for each other.
    await wakeTask(tx, input.taskId, input.knower);
    const toldBefore =
      input.from === 'call' && input.patch.outcome === 'accepted'
        ? and(eq(dispatches.outcome, 'accepted'), inArray(dispatches.evidenceFrom, ['webhook', 'lookup']))
        : undefined;
    const rows = await tx
      .update(dispatches)
      .set({
        ...input.patch,
        evidenceFrom: input.from,
        ...(input.patch.outcome ? { outcomeAt: sql`now()` } : {}),
      } as never)
      .where(and(eq(dispatches.id, input.dispatchId), or(isNull(dispatches.outcome), toldBefore)))
      .returning({ id: dispatches.id });
    if (rows.length === 1 && input.event) await appendEvent(tx, input.taskId, input.event);
    return rows.length === 1;
  });
}

export async function readDispatchById(db: DbOrTx, dispatchId: string): Promise<DispatchRow | undefined> {
  const [row] = await db.select().from(dispatches).where(eq(dispatches.id, dispatchId));
  return row;
}

/** Starts the late watch of a dispatch: after a policy failure upstream may still deliver. */
export async function startLateWatch(
  tx: Tx,
  input: { taskId: string; firstDelayMs: number; windowMs: number },
): Promise<void> {
  if (input.windowMs <= 0) return;
  await tx
    .update(dispatches)
    .set({ nextWatchAt: inMs(input.firstDelayMs), watchUntil: inMs(input.windowMs), watchCount: 0 })
    .where(mayHoldResult(input.taskId));
}

const mayHoldResult = (taskId: string) =>
  and(
    eq(dispatches.taskId, taskId),
    eq(dispatches.phase, 'sent'),
    sql`(${dispatches.outcome} is null or ${dispatches.outcome} in ('accepted', 'done'))`,
  );

/** An operator gave the result of a create that was never answered: the dispatch is done. */
export async function closeByOperator(
  tx: Tx,
  input: { taskId: string; artefacts: ArtefactRef[] },
): Promise<void> {
  await tx
    .update(dispatches)
    .set({
      outcome: 'done',
      outcomeAt: sql`now()` as never,
      evidenceFrom: 'operator',
      artefacts: input.artefacts,
    })
    .where(
      and(eq(dispatches.taskId, input.taskId), eq(dispatches.phase, 'sent'), isNull(dispatches.outcome)),
    );
}

/** Watches the dispatch of a failed task again, from now on. False when none can hold a result. */
export async function watchAgain(tx: Tx, input: { taskId: string; windowMs: number }): Promise<boolean> {
  const rows = await tx
    .update(dispatches)
    .set({
      nextWatchAt: sql`now()` as never,
      watchUntil: sql`greatest(${dispatches.watchUntil}, ${inMs(input.windowMs)})` as never,
    })
    .where(mayHoldResult(input.taskId))
    .returning({ id: dispatches.id });
  return rows.length > 0;
}
