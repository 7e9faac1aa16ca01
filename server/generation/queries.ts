import { and, desc, eq, gt, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
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
import {
  CREATES_FROM,
  type DetailsRow,
  type DispatchRow,
  IN_FLIGHT_OF_USER,
  type TaskRow,
} from './claim-queries.ts';
import type { Conversation } from './conversation/schemas.ts';
import { inMs } from './lease-queries.ts';
import type { TaskSnapshot } from './schemas.ts';
import { LIVE_STATUSES, type Status, type TaskKind } from './status.ts';

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
    kind: TaskKind;
    channelId: string;
    modelId: string;
    giveUpMs: number;
    prompt: string;
    params: Record<string, unknown>;
    referenceIds: readonly string[];
    snapshot: TaskSnapshot;
    retryOf: string | null;
    parentId?: string;
    conversation?: Conversation;
    /** A composite begins by waiting: nothing of it is ever sent itself. Milliseconds until its deadline. */
    waitsMs?: number;
  },
): Promise<void> {
  await tx.insert(generationTasks).values({
    ...(input.waitsMs === undefined
      ? {}
      : {
          status: 'waiting' as const,
          waitingFor: 'children' as const,
          waitingUntil: inMs(input.waitsMs) as never,
        }),
    id: input.id,
    parentId: input.parentId ?? null,
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
    conversation: input.conversation ?? null,
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

/** Any users' tasks, in the order of these ids. */
export async function listTasksByIds(db: Db, ids: readonly string[]): Promise<TaskBundle[]> {
  if (ids.length === 0) return [];
  const found = await bundles(db, inArray(generationTasks.id, [...ids]), ids.length);
  const byId = new Map(found.map((bundle) => [bundle.task.id, bundle]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export async function readAnyTask(db: DbOrTx, id: string): Promise<TaskBundle | undefined> {
  return (await bundles(db, eq(generationTasks.id, id), 1))[0];
}

export type TaskFilter = {
  userId?: string;
  kind?: TaskKind;
  /** Without what composites have started. */
  withoutChildren?: boolean;
  statuses?: readonly Status[];
  cursor?: string;
  limit: number;
};

export async function listTasks(db: Db, filter: TaskFilter): Promise<TaskBundle[]> {
  return bundles(
    db,
    and(
      filter.userId ? eq(generationTasks.userId, filter.userId) : undefined,
      filter.kind ? eq(generationTasks.kind, filter.kind) : undefined,
      filter.withoutChildren ? isNull(generationTasks.parentId) : undefined,
      filter.statuses ? inArray(generationTasks.status, [...filter.statuses]) : undefined,
      filter.cursor ? lt(generationTasks.id, filter.cursor) : undefined,
    ),
    filter.limit,
  );
}

/** What a user has submitted that has not ended and was not asked to cancel, oldest first. */
export async function listLiveTaskIds(
  db: Db,
  input: { userId: string; after: string | undefined; limit: number },
): Promise<string[]> {
  const rows = await db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(
      and(
        eq(generationTasks.userId, input.userId),
        inArray(generationTasks.status, LIVE_STATUSES),
        isNull(generationTasks.parentId),
        isNull(generationTasks.cancelRequestedAt),
        input.after ? gt(generationTasks.id, input.after) : undefined,
      ),
    )
    .orderBy(generationTasks.id)
    .limit(input.limit);
  return rows.map(({ id }) => id);
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
  /** How many of this user's tasks may be under way at once. */
  userCap: number;
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
        where l.user_id = t.user_id and ${IN_FLIGHT_OF_USER}
        limit u.cap) live) as user_in_flight,
      u.cap as user_cap
    from generation_tasks t join provider_channels c on c.id = t.channel_id
      join (select id, coalesce(in_flight_limit, ${userInFlightCap}::int) as cap from users) u on u.id = t.user_id
    where t.id = any(${uuidArray(ids)})`)) as unknown as {
    id: string;
    enabled: boolean;
    paused_until: string | Date | null;
    creates_from: string | Date | null;
    full: boolean;
    user_in_flight: number;
    user_cap: number;
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
        userCap: row.user_cap,
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

/** Whether an account was closed for good; it is not closed before the transaction has ended. */
export async function isAccountClosed(tx: Tx, userId: string): Promise<boolean> {
  const [row] = await tx
    .select({ deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for('share');
  return !row || row.deletedAt !== null;
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
