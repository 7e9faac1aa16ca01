import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { uuidArray } from '#server/lib/leases.ts';

/** What people were told, and what was sent to their services. Every statement handles at most `limit`. */

const before = (days: number): SQL => sql`now() - make_interval(days => ${days}::int)`;

export async function deleteOldNotifications(
  db: Db,
  input: { days: number; limit: number },
): Promise<number> {
  const rows = await db.execute(sql`
    with old as materialized (
      select id from notifications where created_at < ${before(input.days)}
      order by created_at limit ${input.limit} for update skip locked)
    delete from notifications n using old where n.id = old.id returning 1`);
  return rows.length;
}

/** Deliveries that ended so long ago, with their tries; then endpoints that were removed and have none left. */
export async function deleteOldDeliveries(db: Db, input: { days: number; limit: number }): Promise<number> {
  const rows = await db.execute(sql`
    with old as materialized (
      select id from webhook_deliveries where finished_at < ${before(input.days)}
      order by finished_at limit ${input.limit} for update skip locked)
    delete from webhook_deliveries d using old where d.id = old.id returning 1`);
  await db.execute(sql`
    with old as materialized (
      select id from webhook_endpoints e where e.deleted_at < ${before(input.days)}
        and not exists (select 1 from webhook_deliveries d where d.endpoint_id = e.id)
      limit ${input.limit} for update skip locked)
    delete from webhook_endpoints e using old where e.id = old.id`);
  return rows.length;
}

/** Of closed accounts everything goes at once; a delivery that is being sent at this moment waits for the next turn. */
export async function deleteNoticesOf(
  db: Db,
  input: { userIds: readonly string[]; limit: number },
): Promise<number> {
  const ids = uuidArray(input.userIds);
  const deliveries = await db.execute(sql`
    with theirs as materialized (
      select id from webhook_deliveries
      where user_id = any(${ids}) and (lease_until is null or lease_until < now())
      limit ${input.limit} for update skip locked)
    delete from webhook_deliveries d using theirs where d.id = theirs.id returning 1`);
  const endpoints = await db.execute(sql`
    delete from webhook_endpoints e
    where e.user_id = any(${ids}) and not exists (select 1 from webhook_deliveries d where d.endpoint_id = e.id)
    returning 1`);
  const notices = await db.execute(sql`
    with theirs as materialized (
      select id from notifications where user_id = any(${ids}) limit ${input.limit} for update skip locked)
    delete from notifications n using theirs where n.id = theirs.id returning 1`);
  return deliveries.length + endpoints.length + notices.length;
}
