import { and, desc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import {
  creditHolds,
  creditRefunds,
  dispatches,
  generationTaskDetails,
  generationTaskEvents,
  generationTasks,
  outputs,
  requestKeys,
  uploads,
  users,
} from '#server/db/schema/index.ts';
import { uuidArray } from '#server/lib/leases.ts';
import { CREATES_FROM, type DetailsRow, type DispatchRow, type TaskRow } from './claim-queries.ts';
import type { TaskSnapshot } from './schemas.ts';
import type { Kind, Status } from './status.ts';

export type RequestKeyRow = typeof requestKeys.$inferSelect;

export async function findRequestKey(
  db: DbOrTx,
  userId: string,
  key: string,
): Promise<RequestKeyRow | undefined> {
  const [row] = await db
    .select()
    .from(requestKeys)
    .where(and(eq(requestKeys.userId, userId), eq(requestKeys.key, key)));
  return row;
}

/** False when another submit with this key came first; it has committed by then. */
export async function insertRequestKey(tx: Tx, row: typeof requestKeys.$inferInsert): Promise<boolean> {
  const rows = await tx
    .insert(requestKeys)
    .values(row)
    .onConflictDoNothing()
    .returning({ key: requestKeys.key });
  return rows.length === 1;
}

export async function insertTask(
  tx: Tx,
  input: {
    id: string;
    userId: string;
    kind: Kind;
    channelId: string;
    modelId: string;
    giveUpMs: number;
    prompt: string;
    params: Record<string, unknown>;
    referenceIds: readonly string[];
    snapshot: TaskSnapshot;
    retryOf: string | null;
  },
): Promise<void> {
  await tx.insert(generationTasks).values({
    id: input.id,
    userId: input.userId,
    kind: input.kind,
    channelId: input.channelId,
    modelId: input.modelId,
    nextPollAt: sql`now()` as never,
    giveUpAt: sql`now() + make_interval(secs => ${input.giveUpMs / 1000})` as never,
    eventSeq: 1,
  });
  await tx.insert(generationTaskDetails).values({
    taskId: input.id,
    prompt: input.prompt,
    params: input.params,
    referenceIds: [...input.referenceIds],
    snapshot: input.snapshot,
    retryOf: input.retryOf,
  });
}

/** All that a task's view is made of. */
export type TaskBundle = {
  task: TaskRow;
  details: DetailsRow;
  hold: typeof creditHolds.$inferSelect | null;
  refund: typeof creditRefunds.$inferSelect | null;
  outputs: (typeof outputs.$inferSelect)[];
};

async function bundles(db: DbOrTx, where: SQL | undefined, limit: number): Promise<TaskBundle[]> {
  const rows = await db
    .select({
      task: generationTasks,
      details: generationTaskDetails,
      hold: creditHolds,
      refund: creditRefunds,
    })
    .from(generationTasks)
    .innerJoin(generationTaskDetails, eq(generationTaskDetails.taskId, generationTasks.id))
    .leftJoin(creditHolds, eq(creditHolds.taskId, generationTasks.id))
    .leftJoin(creditRefunds, eq(creditRefunds.taskId, generationTasks.id))
    .where(where)
    .orderBy(desc(generationTasks.id))
    .limit(limit);
  const ids = rows
    .filter((row) => row.task.hasOutputs || row.task.status === 'archiving')
    .map((row) => row.task.id);
  const stored =
    ids.length === 0
      ? []
      : await db
          .select()
          .from(outputs)
          .where(inArray(outputs.taskId, ids))
          .orderBy(outputs.taskId, outputs.ordinal);
  return rows.map((row) => ({ ...row, outputs: stored.filter((output) => output.taskId === row.task.id) }));
}

export async function readTasks(db: DbOrTx, userId: string, ids: readonly string[]): Promise<TaskBundle[]> {
  if (ids.length === 0) return [];
  return bundles(
    db,
    and(eq(generationTasks.userId, userId), inArray(generationTasks.id, [...ids])),
    ids.length,
  );
}

export async function readAnyTask(db: DbOrTx, id: string): Promise<TaskBundle | undefined> {
  return (await bundles(db, eq(generationTasks.id, id), 1))[0];
}

export type TaskFilter = {
  userId?: string;
  kind?: Kind;
  statuses?: readonly Status[];
  cursor?: string;
  userEmail?: string;
  taskId?: string;
  limit: number;
};

export async function listTasks(db: Db, filter: TaskFilter): Promise<TaskBundle[]> {
  return bundles(
    db,
    and(
      filter.userId ? eq(generationTasks.userId, filter.userId) : undefined,
      filter.kind ? eq(generationTasks.kind, filter.kind) : undefined,
      filter.statuses ? inArray(generationTasks.status, [...filter.statuses]) : undefined,
      filter.cursor ? lt(generationTasks.id, filter.cursor) : undefined,
      filter.taskId ? eq(generationTasks.id, filter.taskId) : undefined,
      filter.userEmail
        ? sql`${generationTasks.userId} in (select id from ${users} where email = ${filter.userEmail.trim().toLowerCase()})`
        : undefined,
    ),
    filter.limit,
  );
}

/** Versions of a user's tasks, to tell what has changed since. */
export async function readVersions(
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<{ id: string; version: number }[]> {
  return db
    .select({ id: generationTasks.id, version: generationTasks.version })
    .from(generationTasks)
    .where(and(eq(generationTasks.userId, userId), inArray(generationTasks.id, [...ids])));
}

/** What may keep a live task from its next step, by the same predicates as the claim. */
export type Blockers = {
  taskId: string;
  channelEnabled: boolean;
  channelPausedUntil: Date | null;
  /** The channel starts nothing new until then: it failed repeatedly, or its requests per minute are used up. */
  createsFrom: Date | null;
  channelFull: boolean;
  userInFlight: number;
};

export async function readBlockers(
  db: DbOrTx,
  ids: readonly string[],
  userInFlightCap: number,
): Promise<Map<string, Blockers>> {
  if (ids.length === 0) return new Map();
  const rows = (await db.execute(sql`
    select t.id, c.enabled,
      case when c.paused_until > now() then c.paused_until end as paused_until,
      case when ${CREATES_FROM} > now() then ${CREATES_FROM} end as creates_from,
      (select count(*) from (select 1 from generation_tasks l
        where l.channel_id = c.id and l.status in ('dispatching', 'running') limit c.max_in_flight) live)
        >= c.max_in_flight as full,
      (select count(*)::int from (select 1 from generation_tasks l
        where l.user_id = t.user_id and l.status in ('dispatching', 'running', 'archiving')
        limit ${userInFlightCap}) live) as user_in_flight
    from generation_tasks t join provider_channels c on c.id = t.channel_id
    where t.id = any(${uuidArray(ids)})`)) as unknown as {
    id: string;
    enabled: boolean;
    paused_until: string | Date | null;
    creates_from: string | Date | null;
    full: boolean;
    user_in_flight: number;
  }[];
  return new Map(
    rows.map((row) => [
      row.id,
      {
        taskId: row.id,
        channelEnabled: row.enabled,
        channelPausedUntil: row.paused_until ? new Date(row.paused_until) : null,
        createsFrom: row.creates_from ? new Date(row.creates_from) : null,
        channelFull: row.full,
        userInFlight: row.user_in_flight,
      },
    ]),
  );
}

export async function listEvents(
  db: Db,
  taskId: string,
): Promise<(typeof generationTaskEvents.$inferSelect)[]> {
  return db
    .select()
    .from(generationTaskEvents)
    .where(eq(generationTaskEvents.taskId, taskId))
    .orderBy(generationTaskEvents.seq);
}

export async function listDispatches(db: Db, taskId: string): Promise<DispatchRow[]> {
  return db.select().from(dispatches).where(eq(dispatches.taskId, taskId)).orderBy(dispatches.number);
}

export async function listReferences(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .select({ id: uploads.id, fileName: uploads.fileName, mime: uploads.mime })
    .from(uploads)
    .where(inArray(uploads.id, [...ids]));
}

export async function readEmails(db: Db, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(inArray(users.id, [...new Set(userIds)]));
  return new Map(rows.map((row) => [row.id, row.email]));
}

/** Locks a user's task for a decision about a cancel. */
export async function lockTask(
  tx: Tx,
  userId: string,
  taskId: string,
): Promise<{ task: TaskRow; leased: boolean } | undefined> {
  const [row] = await tx
    .select({
      task: generationTasks,
      leased: sql<boolean>`coalesce(${generationTasks.leaseUntil} >= now(), false)`,
    })
    .from(generationTasks)
    .where(and(eq(generationTasks.id, taskId), eq(generationTasks.userId, userId)))
    .for('no key update');
  return row;
}

export async function requestCancel(tx: Tx, taskId: string): Promise<void> {
  await tx
    .update(generationTasks)
    .set({ cancelRequestedAt: sql`coalesce(${generationTasks.cancelRequestedAt}, now())` as never })
    .where(eq(generationTasks.id, taskId));
}
