import { and, asc, count, desc, eq, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import {
  notifications,
  users,
  webhookAttempts,
  webhookDeliveries,
  webhookEndpoints,
} from '#server/db/schema/index.ts';
import type { DeliveryRow, EndpointRow } from './delivery-queries.ts';
import type { DeliveryStatus } from './schemas.ts';

const own = (userId: string, endpointId: string) =>
  and(
    eq(webhookEndpoints.id, endpointId),
    eq(webhookEndpoints.userId, userId),
    isNull(webhookEndpoints.deletedAt),
  );

export async function listEndpoints(db: Db, userId: string): Promise<EndpointRow[]> {
  return db
    .select()
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.userId, userId), isNull(webhookEndpoints.deletedAt)))
    .orderBy(asc(webhookEndpoints.id));
}

/** Counts under a lock of the user's row, so that two who count at once do not both find the last place. */
export async function countEndpointsLocked(tx: Tx, userId: string): Promise<number> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
  return countEndpoints(tx, userId);
}

async function countEndpoints(db: DbOrTx, userId: string): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.userId, userId), isNull(webhookEndpoints.deletedAt)));
  return row?.count ?? 0;
}

export async function findEndpoint(
  db: DbOrTx,
  userId: string,
  endpointId: string,
): Promise<EndpointRow | undefined> {
  const [row] = await db.select().from(webhookEndpoints).where(own(userId, endpointId));
  return row;
}

export async function insertEndpoint(
  db: DbOrTx,
  row: typeof webhookEndpoints.$inferInsert,
): Promise<EndpointRow> {
  const [inserted] = await db.insert(webhookEndpoints).values(row).returning();
  if (!inserted) throw new Error('The endpoint was not returned');
  return inserted;
}

/** Undefined when the user has no such endpoint. What switches it on again begins to count failures anew. */
export async function updateEndpoint(
  db: Db,
  input: {
    userId: string;
    endpointId: string;
    url: string;
    description: string;
    events: string[];
    enabled: boolean;
  },
): Promise<EndpointRow | undefined> {
  const { userId, endpointId, enabled, ...columns } = input;
  const [row] = await db
    .update(webhookEndpoints)
    .set({
      ...columns,
      enabled,
      disabledReason: enabled ? null : sql`coalesce(${webhookEndpoints.disabledReason}, 'owner')`,
      ...(enabled
        ? {
            consecutiveFailures: sql`case when ${webhookEndpoints.enabled} then ${webhookEndpoints.consecutiveFailures} else 0 end`,
          }
        : {}),
    } as never)
    .where(own(userId, endpointId))
    .returning();
  return row;
}

/** The secret of now becomes the one before, which signs too for so many hours. */
export async function replaceSecret(
  db: Db,
  input: { userId: string; endpointId: string; secret: EndpointRow['secret']; hours: number },
): Promise<EndpointRow | undefined> {
  const [row] = await db
    .update(webhookEndpoints)
    .set({
      secret: input.secret,
      previousSecret: webhookEndpoints.secret,
      previousUntil: sql`now() + make_interval(hours => ${input.hours}::int)`,
    } as never)
    .where(own(input.userId, input.endpointId))
    .returning();
  return row;
}

/** Its log stays until it is old; nothing is sent to it any more. */
export async function removeEndpoint(db: Db, userId: string, endpointId: string): Promise<boolean> {
  const rows = await db
    .update(webhookEndpoints)
    .set({
      deletedAt: sql`now()`,
      enabled: false,
      disabledReason: sql`coalesce(${webhookEndpoints.disabledReason}, 'owner')`,
    } as never)
    .where(own(userId, endpointId))
    .returning({ id: webhookEndpoints.id });
  return rows.length === 1;
}

/** Adds a test, unless so many were made in the last minutes; false then. */
export async function insertTest(
  db: Db,
  row: Pick<typeof webhookDeliveries.$inferInsert, 'endpointId' | 'userId' | 'body'> & { id: string },
  most: { tests: number; minutes: number },
): Promise<boolean> {
  const rows = await db.execute(sql`
    insert into webhook_deliveries (id, endpoint_id, user_id, event_type, body, next_attempt_at)
    select ${row.id}::uuid, ${row.endpointId}::uuid, ${row.userId}::uuid, 'test', ${JSON.stringify(row.body)}::jsonb, now()
    where (select count(*) from (
      select 1 from webhook_deliveries where endpoint_id = ${row.endpointId} and event_type = 'test'
        and created_at > now() - make_interval(mins => ${most.minutes}::int) limit ${most.tests}) recent) < ${most.tests}
    returning 1`);
  return rows.length === 1;
}

const WITH_MORE = {
  delivery: webhookDeliveries,
  taskId: notifications.taskId,
  endpoint: webhookEndpoints,
  email: users.email,
};

export type DeliveryBundle = {
  delivery: DeliveryRow;
  taskId: string | null;
  endpoint: EndpointRow;
  email: string;
};

/** Deliveries, newest first, with their endpoint, owner and task. */
export async function listDeliveries(
  db: Db,
  filter: {
    userId?: string;
    endpointId?: string;
    status?: DeliveryStatus;
    cursor?: string;
    limit: number;
  },
): Promise<DeliveryBundle[]> {
  const where: (SQL | undefined)[] = [
    filter.userId ? eq(webhookDeliveries.userId, filter.userId) : undefined,
    filter.endpointId ? eq(webhookDeliveries.endpointId, filter.endpointId) : undefined,
    filter.status ? eq(webhookDeliveries.status, filter.status) : undefined,
    filter.cursor ? lt(webhookDeliveries.id, filter.cursor) : undefined,
  ];
  return db
    .select(WITH_MORE)
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .innerJoin(users, eq(users.id, webhookDeliveries.userId))
    .leftJoin(notifications, eq(notifications.id, webhookDeliveries.notificationId))
    .where(and(...where))
    .orderBy(desc(webhookDeliveries.id))
    .limit(filter.limit);
}

export async function findDelivery(db: DbOrTx, deliveryId: string): Promise<DeliveryBundle | undefined> {
  const [row] = await db
    .select(WITH_MORE)
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .innerJoin(users, eq(users.id, webhookDeliveries.userId))
    .leftJoin(notifications, eq(notifications.id, webhookDeliveries.notificationId))
    .where(eq(webhookDeliveries.id, deliveryId));
  return row;
}

/** Tries of these deliveries, oldest first. A delivery has few. */
export async function listAttempts(db: Db, deliveryIds: readonly string[]) {
  if (deliveryIds.length === 0) return [];
  return db
    .select()
    .from(webhookAttempts)
    .where(inArray(webhookAttempts.deliveryId, [...deliveryIds]))
    .orderBy(webhookAttempts.deliveryId, webhookAttempts.number);
}

/** Due again at once, under the same id; false while it is being sent. */
export async function sendAgain(tx: Tx, deliveryId: string): Promise<boolean> {
  const rows = await tx
    .update(webhookDeliveries)
    .set({ status: 'pending', nextAttemptAt: sql`now()`, finishedAt: null } as never)
    .where(
      and(
        eq(webhookDeliveries.id, deliveryId),
        or(isNull(webhookDeliveries.leaseUntil), sql`${webhookDeliveries.leaseUntil} < now()`),
      ),
    )
    .returning({ id: webhookDeliveries.id });
  return rows.length === 1;
}

export async function findUserId(db: Db, emailOrId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(or(sql`lower(${users.email}) = lower(${emailOrId})`, sql`${users.id}::text = ${emailOrId}`))
    .limit(1);
  return row?.id;
}
