import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import { users, webhookAttempts, webhookDeliveries, webhookEndpoints } from '#server/db/schema/index.ts';
import { claimRows, unleased } from '#server/lib/leases.ts';

export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
export type EndpointRow = typeof webhookEndpoints.$inferSelect;

/** Whose leases a batch of deliveries keeps. */
export const leasedDeliveries = webhookDeliveries;

/** Of one endpoint and of one user under way at once: a slow one fills no more of the places. */
const PER_ENDPOINT = 4;
const PER_USER = 8;
/** Endpoints that a claim looks at. */
const ENDPOINTS = 500;

/**
 * Claims due deliveries fairly: begins at the endpoint of the oldest one, walks from endpoint to endpoint by index and
 * takes the first few of each. Rows that are under way stand at the head of their endpoint and count, so an endpoint that
 * never answers holds its own few places and nobody else's.
 */
export async function claimDueDeliveries(
  db: Db,
  input: { limit: number; leaseSeconds: number; executorId: string; deliveryIds?: readonly string[] },
): Promise<DeliveryRow[]> {
  return claimRows(db, {
    table: webhookDeliveries,
    leaseSeconds: input.leaseSeconds,
    executorId: input.executorId,
    due: sql`
    with recursive walk as (
      (select endpoint_id, endpoint_id as first, 1 as step from webhook_deliveries
      where status = 'pending' and next_attempt_at <= now() and ${unleased(webhookDeliveries)}
      order by next_attempt_at, id limit 1)
      union all
      select following.endpoint_id, w.first, w.step + 1
      from walk w
      cross join lateral (
        select coalesce(
          (select d.endpoint_id from webhook_deliveries d
            where d.status = 'pending' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1),
          (select d.endpoint_id from webhook_deliveries d
            where d.status = 'pending' order by d.endpoint_id limit 1)) as endpoint_id) following
      where w.step < ${ENDPOINTS} and following.endpoint_id <> w.first
    ), heads as (
      select head.*, w.step from walk w
      cross join lateral (
        select h.*, row_number() over (order by h.next_attempt_at, h.id) as place from (
          select d.id, d.user_id, d.next_attempt_at, d.lease_until from webhook_deliveries d
          where d.status = 'pending' and d.endpoint_id = w.endpoint_id and d.next_attempt_at <= now()
          order by d.next_attempt_at, d.id limit ${PER_ENDPOINT}) h) head
    ), ranked as (
      select id, place, step, (lease_until is not null and lease_until >= now()) as leased,
        row_number() over (partition by user_id
          order by (lease_until is not null and lease_until >= now()) desc, place, step) as place_of_user
      from heads
    ), chosen as materialized (
      select id, place, step from ranked where not leased and place_of_user <= ${PER_USER}
      order by place, step limit ${input.limit}
    )
    select webhook_deliveries.id from webhook_deliveries
    join chosen on chosen.id = webhook_deliveries.id
    where webhook_deliveries.status = 'pending' and webhook_deliveries.next_attempt_at <= now()
      and ${unleased(webhookDeliveries)}
    limit ${input.limit}
    for no key update of webhook_deliveries skip locked`,
  });
}

/** When the next delivery can be claimed; null when none is pending. Looks at the first hundred. */
export async function nextDeliveryDueAt(db: Db): Promise<Date | null> {
  const [row] = await db.execute<{ at: string | null }>(sql`
    select min(at)::text as at from (
      select greatest(next_attempt_at, lease_until) as at from webhook_deliveries
      where status = 'pending' order by next_attempt_at, id limit 100) soon`);
  return row?.at ? new Date(row.at) : null;
}

/** The endpoints of claimed rows, and whether their owners may be sent anything. */
export async function readTargets(
  db: Db,
  endpointIds: readonly string[],
): Promise<Map<string, { endpoint: EndpointRow; isAccountOpen: boolean }>> {
  const rows = await db
    .select({ endpoint: webhookEndpoints, disabledAt: users.disabledAt })
    .from(webhookEndpoints)
    .innerJoin(users, eq(users.id, webhookEndpoints.userId))
    .where(inArray(webhookEndpoints.id, [...new Set(endpointIds)]));
  return new Map(
    rows.map(({ endpoint, disabledAt }) => [endpoint.id, { endpoint, isAccountOpen: disabledAt === null }]),
  );
}

type Fence = { id: string; leaseToken: number };

/** How a delivery goes on. `tried`: false when nothing was sent. */
export type DeliveryEnd = { to: 'delivered' } | { to: 'failed' } | { to: 'pending'; delayMs: number };

/** Writes how a try went, under the lease token; undefined when another holder has the row: write nothing else then. */
export async function endTry(
  tx: Tx,
  input: Fence & {
    end: DeliveryEnd;
    tried: boolean;
    statusCode: number | null;
    error: string | null;
  },
): Promise<{ attempts: number } | undefined> {
  const { end } = input;
  const [row] = await tx
    .update(webhookDeliveries)
    .set({
      status: end.to,
      attempts: input.tried ? sql`${webhookDeliveries.attempts} + 1` : webhookDeliveries.attempts,
      nextAttemptAt:
        end.to === 'pending' ? (sql`now() + make_interval(secs => ${end.delayMs / 1000})` as never) : null,
      finishedAt: end.to === 'pending' ? null : (sql`now()` as never),
      ...(input.tried || end.to !== 'pending'
        ? { lastStatusCode: input.statusCode, lastError: input.error }
        : {}),
      leaseUntil: null,
      leasedBy: null,
    } as never)
    .where(
      and(
        eq(webhookDeliveries.id, input.id),
        eq(webhookDeliveries.leaseToken, input.leaseToken),
        eq(webhookDeliveries.status, 'pending'),
      ),
    )
    .returning({ attempts: webhookDeliveries.attempts });
  return row;
}

export async function insertAttempt(tx: Tx, row: typeof webhookAttempts.$inferInsert): Promise<void> {
  await tx.insert(webhookAttempts).values(row);
}

/** A delivery was taken: whatever failed before does not count any more. */
export async function noteSuccess(tx: Tx, endpointId: string): Promise<void> {
  await tx
    .update(webhookEndpoints)
    .set({ consecutiveFailures: 0, lastSuccessAt: sql`now()` as never })
    .where(eq(webhookEndpoints.id, endpointId));
}

/** An event has failed for good; true when so many did in a row, and for so long, that the endpoint is to be given up. */
export async function noteFailure(
  tx: Tx,
  input: { endpointId: string; events: number; days: number },
): Promise<boolean> {
  const [row] = await tx
    .update(webhookEndpoints)
    .set({ consecutiveFailures: sql`${webhookEndpoints.consecutiveFailures} + 1` as never })
    .where(eq(webhookEndpoints.id, input.endpointId))
    .returning({
      isFailing: sql<boolean>`${webhookEndpoints.consecutiveFailures} >= ${input.events}
        and coalesce(${webhookEndpoints.lastSuccessAt}, ${webhookEndpoints.createdAt})
          < now() - make_interval(days => ${input.days}::int)`,
    });
  return row?.isFailing ?? false;
}

/** Switches an endpoint off; false when it was off already. */
export async function switchOff(
  tx: DbOrTx,
  input: { endpointId: string; reason: 'failing' | 'gone' },
): Promise<boolean> {
  const rows = await tx
    .update(webhookEndpoints)
    .set({ enabled: false, disabledReason: input.reason })
    .where(
      and(
        eq(webhookEndpoints.id, input.endpointId),
        eq(webhookEndpoints.enabled, true),
        isNull(webhookEndpoints.deletedAt),
      ),
    )
    .returning({ id: webhookEndpoints.id });
  return rows.length === 1;
}
