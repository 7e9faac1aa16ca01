import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import {
  dispatches,
  generationTaskDetails,
  generationTaskEvents,
  generationTasks,
  outputs,
} from '#server/db/schema/index.ts';
import { uuidArray } from '#server/lib/leases.ts';
import { redactValue } from '#server/lib/redact.ts';
import type { DispatchRow, TaskRow } from './claim-queries.ts';
import type { LiveStatus, Status } from './status.ts';
import { canMove } from './transitions.ts';

/** The right to write a task's status: which claim, by which executor. */
export type Lease = {
  taskId: string;
  token: number;
  executorId: string;
  workerId: string | null;
  /** `wake_seq` as the claim saw it; a hint that came later makes the row due again at once. */
  wakeSeq: number;
};

export type TaskEvent = { type: string; actor: string; reason?: string; data?: Record<string, unknown> };

type TaskPatch = {
  [K in keyof typeof generationTasks.$inferInsert]?: (typeof generationTasks.$inferInsert)[K] | SQL;
};

/** now() + a delay, in the database. */
export const inMs = (ms: number): SQL<Date> => sql<Date>`now() + make_interval(secs => ${ms / 1000})`;

/** The counter of this name, one higher. */
export const plusOne = (
  counter: 'createTries' | 'pollCount' | 'errorCount' | 'missingCount' | 'archiveTries',
): SQL => sql`${generationTasks[counter]} + 1`;

/** Gives up in `ms` at the latest. */
export const giveUpWithin = (ms: number): SQL => sql`least(${generationTasks.giveUpAt}, ${inMs(ms)})`;

/** The present moment, in the database. */
export const dbNow: SQL = sql`now()`;

/** Only while no cancel was asked for. */
export const notCancelled: SQL = sql`${generationTasks.cancelRequestedAt} is null`;

/** Due at `next`, or at once when a hint arrived after the claim. */
const dueUnlessWoken = (lease: Lease, next: SQL): SQL =>
  sql`case when ${generationTasks.wakeSeq} > ${lease.wakeSeq} then now() else ${next} end`;

const holds = (lease: Lease): SQL | undefined =>
  and(
    eq(generationTasks.id, lease.taskId),
    eq(generationTasks.leaseToken, lease.token),
    eq(generationTasks.leasedBy, lease.executorId),
  );

/**
 * Moves a leased task to another status and appends the event, in the caller's transaction. Every live target ends
 * the lease unless `keepLease`; `nextDelayMs` says when the next step is due.
 *
 * @returns the new row, or undefined when the lease is lost or the status is no longer `from`: write nothing else then
 * @throws Error for a pair that the transition table refuses
 */
export async function moveLeased(
  tx: Tx,
  input: {
    lease: Lease;
    from: LiveStatus;
    to: Status;
    set?: TaskPatch;
    event: TaskEvent;
    keepLease?: boolean;
    nextDelayMs?: number;
    /** A further condition on the row. */
    and?: SQL;
  },
): Promise<TaskRow | undefined> {
  if (!canMove(input.from, input.to)) throw new Error(`A task cannot go from ${input.from} to ${input.to}`);
  const terminal = input.to === 'succeeded' || input.to === 'failed' || input.to === 'cancelled';
  const [row] = await tx
    .update(generationTasks)
    .set({
      ...input.set,
      status: input.to,
      version: sql`${generationTasks.version} + 1`,
      eventSeq: sql`${generationTasks.eventSeq} + 1`,
      updatedAt: sql`now()`,
      ...(terminal ? { finishedAt: sql`now()`, nextPollAt: null } : {}),
      ...(!terminal && !input.keepLease
        ? { nextPollAt: dueUnlessWoken(input.lease, inMs(input.nextDelayMs ?? 0)) }
        : {}),
      ...(input.keepLease ? {} : { leaseUntil: null, leasedBy: null }),
    } as never)
    .where(and(holds(input.lease), eq(generationTasks.status, input.from), input.and))
    .returning();
  if (!row) return undefined;
  await insertEvent(tx, row, { ...input.event, from: input.from, to: input.to, lease: input.lease });
  return row;
}

/** Moves a task that nobody needs to hold (cancel before sending, an operator's verdict), by source statuses alone. */
export async function moveUnleased(
  tx: Tx,
  input: { taskId: string; from: readonly Status[]; to: Status; set?: TaskPatch; event: TaskEvent },
): Promise<TaskRow | undefined> {
  const from = input.from.filter((status) => canMove(status, input.to));
  if (from.length === 0) throw new Error(`A task cannot go from ${input.from.join(', ')} to ${input.to}`);
  const [before] = await tx
    .select({ status: generationTasks.status })
    .from(generationTasks)
    .where(
      and(
        eq(generationTasks.id, input.taskId),
        inArray(generationTasks.status, from),
        sql`(${generationTasks.leaseUntil} is null or ${generationTasks.leaseUntil} < now())`,
      ),
    )
    .for('no key update');
  if (!before) return undefined;
  const terminal = input.to === 'succeeded' || input.to === 'failed' || input.to === 'cancelled';
  const [row] = await tx
    .update(generationTasks)
    .set({
      ...input.set,
      status: input.to,
      version: sql`${generationTasks.version} + 1`,
      eventSeq: sql`${generationTasks.eventSeq} + 1`,
      // The next claim's token is higher still: whoever held this row before writes nothing any more.
      leaseToken: sql`${generationTasks.leaseToken} + 1`,
      leaseUntil: null,
      leasedBy: null,
      updatedAt: sql`now()`,
      ...(terminal ? { finishedAt: sql`now()`, nextPollAt: null } : { nextPollAt: sql`now()` }),
    } as never)
    .where(and(eq(generationTasks.id, input.taskId), inArray(generationTasks.status, from)))
    .returning();
  if (!row) return undefined;
  await insertEvent(tx, row, { ...input.event, from: before.status, to: input.to });
  return row;
}

async function insertEvent(
  tx: DbOrTx,
  row: Pick<TaskRow, 'id' | 'eventSeq'>,
  event: TaskEvent & { from?: Status; to?: Status; lease?: Lease },
): Promise<void> {
  await tx.insert(generationTaskEvents).values({
    taskId: row.id,
    seq: row.eventSeq,
    type: event.type,
    actor: event.actor,
    executorId: event.lease?.executorId ?? null,
    workerId: event.lease?.workerId ?? null,
    leaseToken: event.lease?.token ?? null,
    fromStatus: event.from ?? null,
    toStatus: event.to ?? null,
    reason: event.reason ?? null,
    data: event.data ? redactValue(event.data) : null,
  });
}

/** Appends an event without a change of status; raises version so that pages see it. */
export async function appendEvent(tx: Tx, taskId: string, event: TaskEvent): Promise<void> {
  const [row] = await tx
    .update(generationTasks)
    .set({
      eventSeq: sql`${generationTasks.eventSeq} + 1`,
      version: sql`${generationTasks.version} + 1`,
      updatedAt: sql`now()`,
    })
    .where(eq(generationTasks.id, taskId))
    .returning({ id: generationTasks.id, eventSeq: generationTasks.eventSeq });
  if (row) await insertEvent(tx, row, event);
}

/** First event of a new task (number 1). */
export async function insertFirstEvent(
  tx: Tx,
  taskId: string,
  event: TaskEvent & { to: Status },
): Promise<void> {
  await insertEvent(tx, { id: taskId, eventSeq: 1 }, event);
}

/**
 * Ends a lease without a change of status; the next step is due in `nextDelayMs`, or at once when a hint came.
 *
 * @returns false when the lease was lost
 */
export async function releaseLease(
  db: DbOrTx,
  input: { lease: Lease; nextDelayMs: number; set?: TaskPatch; event?: TaskEvent; visible?: boolean },
): Promise<boolean> {
  const [row] = await db
    .update(generationTasks)
    .set({
      ...input.set,
      leaseUntil: null,
      leasedBy: null,
      nextPollAt: dueUnlessWoken(input.lease, inMs(input.nextDelayMs)),
      updatedAt: sql`now()`,
      ...(input.event || input.visible ? { version: sql`${generationTasks.version} + 1` } : {}),
      ...(input.event ? { eventSeq: sql`${generationTasks.eventSeq} + 1` } : {}),
    } as never)
    .where(and(holds(input.lease), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id, eventSeq: generationTasks.eventSeq });
  if (!row) return false;
  if (input.event) await insertEvent(db, row, { ...input.event, lease: input.lease });
  return true;
}

export type PollSave = {
  lease: Lease;
  nextDelayMs: number;
  progress: number | null;
  upstreamStatus: string;
};

/** An element of an array literal; in quotes only the quote and the backslash mean something. */
const arrayItem = (value: string | number | null): string | number => {
  if (value === null || typeof value === 'number') return value ?? 'NULL';
  return `"${value.replaceAll('\0', '').replaceAll(/["\\]/g, '\\$&')}"`;
};

/**
 * Releases many polled rows in one statement: those whose poll changed nothing but progress. No event; `version`
 * grows only when the progress did.
 *
 * @returns ids that were still ours
 */
export async function savePolls(db: Db, saves: readonly PollSave[]): Promise<Set<string>> {
  // Rows are locked in the order of the ids, as renewals do, so that the two cannot wait for each other.
  const polls = saves.toSorted((a, b) => (a.lease.taskId < b.lease.taskId ? -1 : 1));
  const column = (values: readonly (string | number | null)[]) => `{${values.map(arrayItem).join(',')}}`;
  const rows = (await db.execute(sql`
    update generation_tasks t set
      lease_until = null,
      leased_by = null,
      next_poll_at = case when t.wake_seq > p.wake_seq then now() else now() + p.delay_ms * interval '1 millisecond' end,
      version = t.version + case when p.progress is distinct from t.progress then 1 else 0 end,
      progress = p.progress,
      upstream_status = p.upstream_status,
      poll_count = t.poll_count + 1,
      last_polled_at = now(),
      error_count = 0,
      missing_count = 0,
      last_error_class = null,
      updated_at = now()
    from unnest(
      ${uuidArray(polls.map((p) => p.lease.taskId))},
      ${column(polls.map((p) => p.lease.token))}::bigint[],
      ${uuidArray(polls.map((p) => p.lease.executorId))},
      ${column(polls.map((p) => p.lease.wakeSeq))}::bigint[],
      ${column(polls.map((p) => p.nextDelayMs))}::bigint[],
      ${column(polls.map((p) => p.progress))}::smallint[],
      ${column(polls.map((p) => p.upstreamStatus))}::text[]
    ) as p(id, token, executor_id, wake_seq, delay_ms, progress, upstream_status)
    where t.id = p.id and t.lease_token = p.token and t.leased_by = p.executor_id and t.status = 'running'
    returning t.id`)) as unknown as { id: string }[];
  return new Set(rows.map((row) => row.id));
}

/**
 * A hint: makes the row due at once if nobody holds it, else when it is released. Breaks no lease. To the `knower`, who
 * goes on from what it has just learned itself, it is no hint.
 */
export async function wakeTask(db: DbOrTx, taskId: string, knower?: Lease): Promise<boolean> {
  const news = knower ? sql`case when ${holds(knower)} then 0 else 1 end` : sql`1`;
  const rows = await db
    .update(generationTasks)
    .set({
      wakeSeq: sql`${generationTasks.wakeSeq} + ${news}`,
      nextPollAt: sql`case when ${generationTasks.leaseUntil} is null or ${generationTasks.leaseUntil} < now()
        then now() else ${generationTasks.nextPollAt} end`,
    })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id });
  return rows.length === 1;
}

/** Opens the next dispatch of a task as `intent`. The caller has moved the task to `dispatching` in this transaction. */
export async function insertDispatch(
  tx: Tx,
  input: { id: string; task: TaskRow; lease: Lease; keyId: string | null },
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

/** Closes a dispatch that was never sent, so that nobody can send it any more. False when somebody sent it. */
export async function closeUnsentDispatch(db: DbOrTx, dispatchId: string, from: string): Promise<boolean> {
  const rows = await db
    .update(dispatches)
    .set({ outcome: 'not_sent', outcomeAt: sql`now()`, evidenceFrom: from })
    .where(and(eq(dispatches.id, dispatchId), eq(dispatches.phase, 'intent'), isNull(dispatches.outcome)))
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
    | 'errorCode'
    | 'errorMessage'
    | 'retryAfterMs'
    | 'rawResult'
  >
>;

/**
 * Writes what became of a create call to its dispatch, whatever became of the lease (I6), and wakes the task. The
 * first word stands: a row that has an outcome keeps it.
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
    const rows = await tx
      .update(dispatches)
      .set({
        ...input.patch,
        evidenceFrom: input.from,
        ...(input.patch.outcome ? { outcomeAt: sql`now()` } : {}),
      } as never)
      .where(and(eq(dispatches.id, input.dispatchId), isNull(dispatches.outcome)))
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
    .where(
      and(
        eq(dispatches.taskId, input.taskId),
        eq(dispatches.phase, 'sent'),
        sql`(${dispatches.outcome} is null or ${dispatches.outcome} in ('accepted', 'done'))`,
      ),
    );
}

/** Records what upstream said to a cancel; fenced, keeps the lease. */
export async function saveCancelAnswer(
  db: Db,
  input: { lease: Lease; answer: 'requested' | 'unsupported' | 'finished' | 'unknown' },
): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx
      .update(generationTasks)
      .set({
        cancelAnswer: input.answer,
        version: sql`${generationTasks.version} + 1`,
        eventSeq: sql`${generationTasks.eventSeq} + 1`,
        updatedAt: sql`now()`,
      })
      .where(and(holds(input.lease), isNull(generationTasks.finishedAt)))
      .returning({ id: generationTasks.id, eventSeq: generationTasks.eventSeq });
    if (!row) return;
    const event = { type: 'cancel_answered', actor: 'executor', data: { answer: input.answer } };
    await insertEvent(tx, row, { ...event, lease: input.lease });
  });
}

export async function saveArtefacts(
  tx: DbOrTx,
  taskId: string,
  patch: Partial<
    Pick<typeof generationTaskDetails.$inferInsert, 'artefacts' | 'reportedUnits' | 'rawResult'>
  >,
): Promise<void> {
  await tx.update(generationTaskDetails).set(patch).where(eq(generationTaskDetails.taskId, taskId));
}

export async function saveFailure(
  tx: Tx,
  taskId: string,
  patch: { failureMessage: string; failureDetail: string | null },
): Promise<void> {
  await tx.update(generationTaskDetails).set(patch).where(eq(generationTaskDetails.taskId, taskId));
}

/** Records a stored artefact once; a second one with the same ordinal is ignored. */
export async function insertOutput(db: DbOrTx, row: typeof outputs.$inferInsert): Promise<boolean> {
  const rows = await db.insert(outputs).values(row).onConflictDoNothing().returning({ id: outputs.id });
  return rows.length === 1;
}

export async function listOutputs(db: DbOrTx, taskId: string): Promise<(typeof outputs.$inferSelect)[]> {
  return db.select().from(outputs).where(eq(outputs.taskId, taskId)).orderBy(outputs.ordinal);
}
