import { lt, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { rateLimits } from '#server/db/schema/users.ts';

export async function deleteExpiredRateLimits(db: Db): Promise<void> {
  await db.delete(rateLimits).where(lt(rateLimits.expire, sql`now() - interval '1 hour'`));
}

type WorkCounts = {
  /** Tasks that have not ended, by status. */
  live: Record<string, number>;
  /** Tasks submitted within 24 hours that have ended, by status. */
  ended: Record<string, number>;
  /** Rows that could be claimed now, counted up to 10,000. */
  backlog: number;
  refunds: Record<string, number>;
};

/**
 * Counts for operators. Each part walks an index over living rows, or over the newest ones: finished rows of past
 * months cost nothing.
 */
export async function readWorkCounts(db: Db): Promise<WorkCounts> {
  const rows = await db.execute<{ part: string; name: string; total: number }>(sql`
    select 'live' as part, status as name, count(*)::float8 as total from generation_tasks
      where status in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting') group by status
    union all
    select 'ended', status, count(*)::float8 from generation_tasks
      where status in ('succeeded', 'failed', 'cancelled')
        and id >= (lpad(to_hex((extract(epoch from now() - interval '24 hours') * 1000)::bigint), 12, '0')
                   || '00000000000000000000')::uuid
      group by status
    union all
    select 'backlog', '', count(*)::float8 from (
      select 1 from generation_tasks
        where status in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting')
          and next_poll_at <= now() and (lease_until is null or lease_until < now())
        limit 10000) due
    union all
    select 'refunds', status, count(*)::float8 from credit_refunds
      where status in ('pending', 'manual') group by status`);
  const counts: WorkCounts = { live: {}, ended: {}, backlog: 0, refunds: {} };
  for (const { part, name, total } of rows) {
    if (part === 'backlog') counts.backlog = total;
    else if (part === 'live') counts.live[name] = total;
    else if (part === 'ended') counts.ended[name] = total;
    else counts.refunds[name] = total;
  }
  return counts;
}
