import { and, desc, eq, inArray, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import { generationTaskDetails, notifications, webhookDeliveries } from '#server/db/schema/index.ts';
import { newId } from '#server/lib/ids.ts';
import type { NotificationData, NotificationType } from './schemas.ts';

/** A notification of a task as it was written, and who asked to hear of it by webhook. */
export type ToldTask = {
  id: string;
  userId: string;
  taskId: string;
  data: NotificationData & { kind: string; status: string };
  createdAt: Date;
  endpointIds: string[];
};

/**
 * Writes what a task's owner is told, from the row as the transaction has left it. Undefined for the child of a
 * composite, whose end is its composite's business, and for a closed account.
 *
 * `credits`: what was charged; of a composite it is what its budget has spent. Null where nothing is settled yet.
 */
export async function insertTaskNotification(
  tx: DbOrTx,
  input: { taskId: string; type: NotificationType; charged: 'open' | number | 'budget' },
): Promise<ToldTask | undefined> {
  const { taskId, type, charged } = input;
  const credits =
    charged === 'open'
      ? sql`null::bigint`
      : charged === 'budget'
        ? sql`coalesce(h.budget_spent_credits, 0)`
        : sql`${charged}::bigint`;
  const [row] = await tx.execute<{
    id: string;
    user_id: string;
    data: ToldTask['data'];
    created_at: string;
    endpoint_ids: string[];
  }>(sql`
    with told as (
      insert into notifications (id, user_id, type, task_id, data)
      select ${newId()}::uuid, t.user_id, ${type}, t.id, jsonb_build_object(
        'kind', t.kind, 'status', t.status, 'model', d.snapshot ->> 'modelSlug',
        'modelTitle', d.snapshot ->> 'modelTitle', 'credits', ${credits}, 'failureCode', t.failure_code)
      from generation_tasks t
        join generation_task_details d on d.task_id = t.id
        join users u on u.id = t.user_id and u.deleted_at is null
        left join credit_holds h on h.task_id = t.id
      where t.id = ${taskId} and t.parent_id is null
      returning id, user_id, data, created_at
    )
    select told.id, told.user_id, told.data, told.created_at::text, array(
      select e.id::text from webhook_endpoints e join users u on u.id = e.user_id
      where e.user_id = told.user_id and e.deleted_at is null and e.enabled and ${type} = any(e.events)
        and u.disabled_at is null order by e.id) as endpoint_ids
    from told`);
  if (!row) return undefined;
  return {
    id: row.id,
    userId: row.user_id,
    taskId,
    data: row.data,
    createdAt: new Date(row.created_at),
    endpointIds: row.endpoint_ids,
  };
}

export async function insertDeliveries(
  tx: DbOrTx,
  rows: (typeof webhookDeliveries.$inferInsert)[],
): Promise<void> {
  if (rows.length > 0) await tx.insert(webhookDeliveries).values(rows);
}

export async function insertNotification(
  tx: Tx,
  row: { userId: string; type: NotificationType; data: NotificationData },
): Promise<void> {
  await tx.execute(sql`
    insert into notifications (id, user_id, type, data)
    select ${newId()}::uuid, u.id, ${row.type}, ${JSON.stringify(row.data)}::jsonb
    from users u where u.id = ${row.userId} and u.deleted_at is null`);
}

const PROMPT_CHARACTERS = 160;

export async function listNotifications(
  db: Db,
  input: { userId: string; unreadOnly: boolean; cursor?: string; limit: number },
) {
  return db
    .select({
      notification: notifications,
      prompt: sql<string | null>`left(${generationTaskDetails.prompt}, ${PROMPT_CHARACTERS})`,
    })
    .from(notifications)
    .leftJoin(generationTaskDetails, eq(generationTaskDetails.taskId, notifications.taskId))
    .where(
      and(
        eq(notifications.userId, input.userId),
        input.unreadOnly ? isNull(notifications.readAt) : undefined,
        input.cursor ? lt(notifications.id, input.cursor) : undefined,
      ),
    )
    .orderBy(desc(notifications.id))
    .limit(input.limit);
}

/** Counted up to `most`: a badge needs no more. */
export async function countUnread(db: DbOrTx, userId: string, most: number): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from notifications where user_id = ${userId} and read_at is null limit ${most}) unread`);
  return row?.count ?? 0;
}

export async function markRead(db: Db, userId: string, ids: readonly string[]): Promise<number> {
  const rows = await db
    .update(notifications)
    .set({ readAt: sql`now()` })
    .where(
      and(
        eq(notifications.userId, userId),
        inArray(notifications.id, [...ids]),
        isNull(notifications.readAt),
      ),
    )
    .returning({ id: notifications.id });
  return rows.length;
}

/** Marks one of the user's own as read and returns it; undefined when there is none. */
export async function takeNotification(
  db: Db,
  userId: string,
  id: string,
): Promise<typeof notifications.$inferSelect | undefined> {
  const [row] = await db
    .update(notifications)
    .set({ readAt: sql`coalesce(${notifications.readAt}, now())` as never })
    .where(and(eq(notifications.id, id), eq(notifications.userId, userId)))
    .returning();
  return row;
}

export async function markAllRead(db: Db, userId: string, upTo: string | undefined): Promise<number> {
  const rows = await db
    .update(notifications)
    .set({ readAt: sql`now()` })
    .where(
      and(
        eq(notifications.userId, userId),
        isNull(notifications.readAt),
        upTo ? lte(notifications.id, upTo) : undefined,
      ),
    )
    .returning({ id: notifications.id });
  return rows.length;
}
