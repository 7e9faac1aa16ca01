import { and, desc, eq, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { auditLog } from '#server/db/schema/audit-log.ts';
import { dispatches, providerChannels, users } from '#server/db/schema/index.ts';
import { firstIdAt } from '#server/lib/ids.ts';
import type { ChannelDeed, ChannelError } from './schemas.ts';

/** What decides whether a channel takes work, as it stands in the audit log. */
const SWITCH_ACTIONS = ['channel.pause', 'channel.resume', 'channel.enable', 'channel.disable'];

export async function listChannelIds(db: Db): Promise<string[]> {
  const rows = await db.select({ id: providerChannels.id }).from(providerChannels);
  return rows.map(({ id }) => id);
}

/** Tasks under way and waiting on each channel that has some; only tasks that have not ended are read. */
export async function countChannelLoad(db: Db): Promise<Map<string, { inFlight: number; queued: number }>> {
  const rows = await db.execute<{ channelId: string; inFlight: number; queued: number }>(sql`
    select channel_id as "channelId",
      count(*) filter (where status in ('dispatching', 'running'))::float8 as "inFlight",
      count(*) filter (where status = 'queued')::float8 as queued
    from generation_tasks
    where status in ('queued', 'dispatching', 'running') and kind not in ('agent', 'drama')
    group by channel_id`);
  return new Map(rows.map(({ channelId, ...load }) => [channelId, load]));
}

export type HourCounts = {
  channelId: string;
  /** Hours after `from`. */
  hour: number;
  succeeded: number;
  failed: number;
  putOff: number;
  other: number;
};

/** Create calls since `from` by channel and hour, and what became of them. Reads one range of the primary key. */
export async function countChannelHours(db: Db, from: Date): Promise<HourCounts[]> {
  const rows = await db.execute<HourCounts>(sql`
    select "channelId", hour,
      count(*) filter (where verdict = 'succeeded')::float8 as succeeded,
      count(*) filter (where verdict = 'failed')::float8 as failed,
      count(*) filter (where verdict = 'putOff')::float8 as "putOff",
      count(*) filter (where verdict = 'other')::float8 as other
    from (
      select d.channel_id as "channelId",
        greatest(0, floor((extract(epoch from d.created_at) * 1000 - ${from.getTime()}::bigint) / 3600000))::int as hour,
        case
          when d.outcome in ('rate_limited', 'not_sent') then 'putOff'
          when d.outcome in ('rejected', 'failed') then 'failed'
          when d.outcome in ('accepted', 'done') and t.status = 'succeeded' then 'succeeded'
          when t.status = 'failed' then 'failed'
          else 'other'
        end as verdict
      from dispatches d
      join generation_tasks t on t.id = d.task_id
      where d.id >= ${firstIdAt(from)}::uuid
    ) calls
    group by 1, 2`);
  return [...rows];
}

/** The last deed about each channel's taking work, by channel. */
export async function lastDeeds(db: Db): Promise<Map<string, ChannelDeed>> {
  const actions = sql.join(
    SWITCH_ACTIONS.map((action) => sql`${action}`),
    sql`, `,
  );
  const rows = await db.execute<Omit<ChannelDeed, 'at'> & { channelId: string; at: string }>(sql`
    select c.id as "channelId", deed.*
    from provider_channels c
    cross join lateral (
      select a.id, a.at, a.action, u.email as "by", a.reason
      from audit_log a left join users u on u.id = a.actor_id
      where a.subject = 'channel' and a.subject_id = c.id::text and a.action in (${actions})
      order by a.id desc limit 1
    ) deed`);
  return new Map(rows.map(({ channelId, at, ...deed }) => [channelId, { ...deed, at: new Date(at) }]));
}

/** What administrators did to a channel, the newest first. */
export async function listDeeds(db: Db, channelId: string, limit: number): Promise<ChannelDeed[]> {
  return db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      action: auditLog.action,
      by: users.email,
      reason: auditLog.reason,
    })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.actorId))
    .where(and(eq(auditLog.subject, 'channel'), eq(auditLog.subjectId, channelId)))
    .orderBy(desc(auditLog.id))
    .limit(limit);
}

/** Create calls of a channel since `from` that went wrong, the newest first. */
export async function listErrors(
  db: Db,
  input: { channelId: string; from: Date; limit: number },
): Promise<ChannelError[]> {
  return db
    .select({
      dispatchId: dispatches.id,
      taskId: dispatches.taskId,
      at: dispatches.createdAt,
      outcome: dispatches.outcome,
      code: dispatches.errorCode,
      message: dispatches.errorMessage,
    })
    .from(dispatches)
    .where(
      and(
        sql`${dispatches.id} >= ${firstIdAt(input.from)}::uuid`,
        eq(dispatches.channelId, input.channelId),
        sql`(${dispatches.errorCode} is not null or ${dispatches.outcome} in ('rejected', 'rate_limited', 'not_sent', 'failed'))`,
      ),
    )
    .orderBy(desc(dispatches.id))
    .limit(input.limit);
}
