import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db, DbOrTx } from '#server/db/client.ts';
import { generationTasks } from '#server/db/schema/index.ts';
import { leaseEnd, lockedInOrder, uuidArray } from '#server/lib/leases.ts';
import { insertEvent, type Lease, type TaskEvent } from './event-queries.ts';

export type TaskPatch = {
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
export const dueUnlessWoken = (lease: Lease, next: SQL): SQL =>
  sql`case when ${generationTasks.wakeSeq} > ${lease.wakeSeq} then now() else ${next} end`;

export const holds = (lease: Lease): SQL | undefined =>
  and(
    eq(generationTasks.id, lease.taskId),
    eq(generationTasks.leaseToken, lease.token),
    eq(generationTasks.leasedBy, lease.executorId),
  );

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
  const column = (values: readonly (string | number | null)[]) => `{${values.map(arrayItem).join(',')}}`;
  const ids = uuidArray(saves.map((p) => p.lease.taskId));
  const rows = (await db.execute(sql`
    with locked as materialized (${lockedInOrder(ids)})
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
    from locked, unnest(
      ${ids},
      ${column(saves.map((p) => p.lease.token))}::bigint[],
      ${uuidArray(saves.map((p) => p.lease.executorId))},
      ${column(saves.map((p) => p.lease.wakeSeq))}::bigint[],
      ${column(saves.map((p) => p.nextDelayMs))}::bigint[],
      ${column(saves.map((p) => p.progress))}::smallint[],
      ${column(saves.map((p) => p.upstreamStatus))}::text[]
    ) as p(id, token, executor_id, wake_seq, delay_ms, progress, upstream_status)
    where t.id = locked.id and t.id = p.id
      and t.lease_token = p.token and t.leased_by = p.executor_id and t.status = 'running'
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

/**
 * Extends the leases of running steps, fenced by their tokens; returns the ids that are still ours. A lease that has run
 * out is not brought back: whoever looks next may have it, and its holder has stopped long before.
 */
export async function renewLeases(
  db: Db,
  input: { executorId: string; leaseSeconds: number; leases: readonly { id: string; token: number }[] },
): Promise<Set<string>> {
  if (input.leases.length === 0) return new Set();
  const { leases } = input;
  const ids = uuidArray(leases.map((l) => l.id));
  const rows = (await db.execute(sql`
    with locked as materialized (${lockedInOrder(ids)})
    update generation_tasks t
    set lease_until = ${leaseEnd(input.leaseSeconds)}
    from locked, unnest(${ids},
      ${`{${leases.map((l) => l.token).join(',')}}`}::bigint[]) as held(id, token)
    where t.id = locked.id and t.id = held.id and t.lease_token = held.token and t.leased_by = ${input.executorId}
      and t.lease_until >= clock_timestamp()
    returning t.id`)) as unknown as { id: string }[];
  return new Set(rows.map((row) => row.id));
}
