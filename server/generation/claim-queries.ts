import { and, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import {
  dispatches,
  generationTaskDetails,
  generationTasks,
  providerChannels,
  providerKeys,
} from '#server/db/schema/index.ts';
import { claimRows, leaseEnd, unleased, uuidArray } from '#server/lib/leases.ts';

export type TaskRow = typeof generationTasks.$inferSelect;
export type DispatchRow = typeof dispatches.$inferSelect;
export type DetailsRow = typeof generationTaskDetails.$inferSelect;
export type SealedKeyRow = typeof providerKeys.$inferSelect;

/** A leased row with everything its next step reads. `dispatch`: the latest one. */
export type ClaimedTask = {
  task: TaskRow;
  details: DetailsRow;
  dispatch: DispatchRow | null;
  /** The key to use, sealed; null when the channel had none. */
  key: SealedKeyRow | null;
};

type ClaimInput = { executorId: string; leaseSeconds: number; workerId: string | null };

export const DUE = sql`next_poll_at <= now() and (lease_until is null or lease_until < now())`;
/**
 * A 429 pauses a channel, not its tasks: their rows stay as they are and are passed over until the pause ends. Not so
 * what needs no answer of upstream: a dispatch whose outcome is to be applied, an end by the policy, and a composite,
 * which looks at its children only.
 */
export const CHANNEL_OPEN = sql`(status in ('dispatching', 'waiting') or (status = 'uncertain' and uncertain_until <= now()) or not exists (
  select 1 from provider_channels c
  where c.id = generation_tasks.channel_id and c.paused_until > now()))`;
/** The next place of the pacer of the channel `c`; null without a limit, whatever an earlier one left behind. */
const NEXT_PLACE = sql`case when c.requests_per_minute is not null then c.next_create_at
  - greatest(interval '6 seconds' - interval '1 minute' / c.requests_per_minute, interval '0') end`;
/** From when on the channel `c` takes new work: after a pause, a cool-down, and the next place of its pacer. */
export const CREATES_FROM = sql`greatest(c.paused_until, c.cool_down_until, ${NEXT_PLACE})`;
const TAKES_CREATES = sql`c.enabled and coalesce(${CREATES_FROM} <= now(), true)`;
/** Places of the pacer that are free at once; more rows than these would only be put off again. */
const CREATES_AT_ONCE = sql`coalesce(1 + floor(extract(epoch from now()
  - greatest(${NEXT_PLACE}, now() - interval '6 seconds')) * c.requests_per_minute / 60)::int, c.max_in_flight)`;
/** What is made of other tasks; its result is put together here and needs a slot of its own class. */
export const IS_COMPOSITE = sql`kind in ('agent', 'drama')`;
/** Tasks of the alias `l` that count against the cap of their user: those that upstream or a download is at work on. */
export const IN_FLIGHT_OF_USER = sql`(l.status in ('dispatching', 'running')
  or (l.status = 'archiving' and l.kind not in ('agent', 'drama')))`;
export const POLL_STATUSES = sql`status in ('dispatching', 'running', 'uncertain', 'waiting')`;

function claim(db: Db, input: ClaimInput, due: SQL): Promise<TaskRow[]> {
  return claimRows(db, {
    table: generationTasks,
    due,
    leaseSeconds: input.leaseSeconds,
    executorId: input.executorId,
    also: { nextPollAt: leaseEnd(input.leaseSeconds), workerId: input.workerId },
  });
}

/**
 * Claims rows whose next step is a poll, a transfer or a composition, first due first, and queued rows whose time to give up has
 * come. One statement; each source has its own limit, so no class of slot can take another's rows.
 */
export async function claimDueSteps(
  db: Db,
  input: ClaimInput & { polls: number; transfers: number; composes: number },
): Promise<TaskRow[]> {
  return claim(
    db,
    input,
    sql`
    with polls as materialized (
      select id from generation_tasks
      where ${POLL_STATUSES} and ${DUE} and ${CHANNEL_OPEN}
      order by next_poll_at, id limit ${input.polls} for no key update skip locked
    ), transfers as materialized (
      select id from generation_tasks
      where status = 'archiving' and not ${IS_COMPOSITE} and ${DUE}
      order by next_poll_at, id limit ${input.transfers} for no key update skip locked
    ), composes as materialized (
      select id from generation_tasks
      where status = 'archiving' and ${IS_COMPOSITE} and ${DUE}
      order by next_poll_at, id limit ${input.composes} for no key update skip locked
    ), given_up as materialized (
      select id from generation_tasks
      where status = 'queued' and give_up_at <= now() and (lease_until is null or lease_until < now())
      order by give_up_at, id limit ${Math.min(input.polls, 10)} for no key update skip locked
    )
    select id from polls union all select id from transfers union all select id from composes
    union all select id from given_up`,
  );
}

/**
 * Claims queued rows fairly: walks the users of every open channel by index, starting behind `after`, and takes the
 * first due rows of each, so that no user, however many rows he has, comes before another's first. Caps are counted
 * from live rows. The caller walks on from the last user served and wraps around at the end.
 */
export async function claimQueued(
  db: Db,
  input: ClaimInput & {
    limit: number;
    after: string;
    userInFlight: number;
    /** Users looked at per channel, 16 unless told. */
    users?: number;
  },
): Promise<TaskRow[]> {
  const perUser = Math.max(1, Math.min(4, input.limit));
  return claim(
    db,
    input,
    sql`
    with recursive open_channels as materialized (
      select c.id, greatest(0, least(${CREATES_AT_ONCE}, c.max_in_flight - (
        select count(*) from (
          select 1 from generation_tasks l
          where l.channel_id = c.id and l.status in ('dispatching', 'running')
          limit c.max_in_flight) live))) as room
      from provider_channels c
      where ${TAKES_CREATES}
    ), walk as (
      select c.id as channel_id, first.user_id, 1 as step
      from open_channels c
      cross join lateral (
        select t.user_id from generation_tasks t
        where t.status = 'queued' and t.channel_id = c.id and t.user_id > ${input.after}::uuid
        order by t.user_id limit 1) first
      where c.room > 0
      union all
      select w.channel_id, following.user_id, w.step + 1
      from walk w
      cross join lateral (
        select t.user_id from generation_tasks t
        where t.status = 'queued' and t.channel_id = w.channel_id and t.user_id > w.user_id
        order by t.user_id limit 1) following
      where w.step < ${Math.max(input.limit, input.users ?? 16)}
    ), heads as (
      select head.id, w.channel_id, w.user_id, head.place, room_of_user.room as user_room
      from walk w
      cross join lateral (
        select coalesce(u.in_flight_limit, ${input.userInFlight}::int) as cap
        from users u where u.id = w.user_id) cap_of_user
      cross join lateral (
        select cap_of_user.cap - count(*)::int as room from (
          select 1 from generation_tasks l
          where l.user_id = w.user_id and ${IN_FLIGHT_OF_USER}
          limit cap_of_user.cap) live) room_of_user
      cross join lateral (
        select h.id, row_number() over (order by h.next_poll_at, h.id) as place
        from (
          select t.id, t.next_poll_at from generation_tasks t
          where t.status = 'queued' and t.channel_id = w.channel_id and t.user_id = w.user_id
            and t.next_poll_at <= now() and (t.lease_until is null or t.lease_until < now())
          order by t.next_poll_at, t.id
          limit ${perUser}) h
      ) head
      where room_of_user.room > 0
    ), ranked as (
      select h.id, h.place, h.user_id, h.user_room, c.room,
        row_number() over (partition by h.channel_id order by h.place, h.user_id) as place_in_channel,
        row_number() over (partition by h.user_id order by h.place, h.id) as place_of_user
      from heads h join open_channels c on c.id = h.channel_id
    ), chosen as materialized (
      select id, place, user_id from ranked
      where place_in_channel <= room and place_of_user <= user_room
      order by place, user_id limit ${input.limit}
    )
    select generation_tasks.id from generation_tasks
    join chosen on chosen.id = generation_tasks.id
    where generation_tasks.status = 'queued' and ${DUE}
    limit ${input.limit}
    for no key update of generation_tasks skip locked`,
  );
}

/** Claims the given tasks, as far as they are due and their channel and caps allow. */
export async function claimTasks(
  db: Db,
  input: ClaimInput & {
    taskIds: readonly string[];
    limits: { create: number; poll: number; transfer: number; compose: number };
    userInFlight: number;
  },
): Promise<TaskRow[]> {
  const only = sql`id = any(${uuidArray(input.taskIds)})`;
  return claim(
    db,
    input,
    sql`
    with polls as materialized (
      select id from generation_tasks
      where ${only} and ${POLL_STATUSES} and ${DUE} and ${CHANNEL_OPEN}
      order by next_poll_at, id limit ${input.limits.poll} for no key update skip locked
    ), transfers as materialized (
      select id from generation_tasks
      where ${only} and status = 'archiving' and not ${IS_COMPOSITE} and ${DUE}
      order by next_poll_at, id limit ${input.limits.transfer} for no key update skip locked
    ), composes as materialized (
      select id from generation_tasks
      where ${only} and status = 'archiving' and ${IS_COMPOSITE} and ${DUE}
      order by next_poll_at, id limit ${input.limits.compose} for no key update skip locked
    ), ranked as (
      select t.id, t.user_id, t.channel_id,
        row_number() over (partition by t.user_id order by t.next_poll_at, t.id) as place,
        row_number() over (partition by t.channel_id order by t.next_poll_at, t.id) as place_in_channel
      from generation_tasks t
      where t.id = any(${uuidArray(input.taskIds)}) and t.status = 'queued'
        and t.next_poll_at <= now() and (t.lease_until is null or t.lease_until < now())
    ), creates as materialized (
      select generation_tasks.id from generation_tasks
      join ranked r on r.id = generation_tasks.id
      join provider_channels c on c.id = r.channel_id
      join (select id, coalesce(in_flight_limit, ${input.userInFlight}::int) as cap from users) u on u.id = r.user_id
      where generation_tasks.status = 'queued' and generation_tasks.next_poll_at <= now()
        and ${unleased(generationTasks)}
        and ${TAKES_CREATES}
        and r.place + (select count(*) from (select 1 from generation_tasks l
          where l.user_id = r.user_id and ${IN_FLIGHT_OF_USER}
          limit u.cap) live) <= u.cap
        and r.place_in_channel + (select count(*) from (select 1 from generation_tasks l
          where l.channel_id = r.channel_id and l.status in ('dispatching', 'running')
          limit c.max_in_flight) live) <= c.max_in_flight
      limit ${input.limits.create}
      for no key update of generation_tasks skip locked
    )
    select id from polls union all select id from transfers union all select id from composes
    union all select id from creates`,
  );
}

/** Due tasks of one user, for the page's own push; what is under way first. */
export async function dueTaskIdsOfUser(db: Db, userId: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(
      and(
        eq(generationTasks.userId, userId),
        inArray(generationTasks.status, [
          'queued',
          'dispatching',
          'running',
          'uncertain',
          'archiving',
          'waiting',
        ]),
        sql`${generationTasks.nextPollAt} <= now()`,
        unleased(generationTasks),
      ),
    )
    // Queued rows last: when caps or a pause hold them back, they must not keep the others from being pushed.
    .orderBy(sql`(${generationTasks.status} = 'queued')`, generationTasks.nextPollAt, generationTasks.id)
    .limit(limit);
  return rows.map((row) => row.id);
}

/** Reads what the steps of freshly claimed rows need, in three statements for the whole batch. */
export async function loadClaimed(db: Db, tasks: readonly TaskRow[]): Promise<ClaimedTask[]> {
  if (tasks.length === 0) return [];
  const ids = tasks.map((task) => task.id);
  const [detailRows, dispatchRows] = await Promise.all([
    db
      .select({
        details: generationTaskDetails,
        channelBaseUrl: providerChannels.baseUrl,
        currentKey: providerKeys,
      })
      .from(generationTaskDetails)
      .innerJoin(generationTasks, eq(generationTasks.id, generationTaskDetails.taskId))
      .innerJoin(providerChannels, eq(providerChannels.id, generationTasks.channelId))
      .leftJoin(
        providerKeys,
        and(eq(providerKeys.channelId, generationTasks.channelId), isNull(providerKeys.retiredAt)),
      )
      .where(inArray(generationTaskDetails.taskId, ids)),
    db
      .selectDistinctOn([dispatches.taskId])
      .from(dispatches)
      .where(inArray(dispatches.taskId, ids))
      .orderBy(dispatches.taskId, desc(dispatches.number)),
  ]);
  const latest = new Map(dispatchRows.map((row) => [row.taskId, row]));
  const known = new Map<string, SealedKeyRow>();
  for (const row of detailRows) if (row.currentKey) known.set(row.currentKey.id, row.currentKey);
  const wanted = new Set<string>();
  for (const row of detailRows) {
    const id = latest.get(row.details.taskId)?.keyId ?? row.details.snapshot.keyId;
    if (id && !known.has(id)) wanted.add(id);
  }
  if (wanted.size > 0) {
    const retired = await db
      .select()
      .from(providerKeys)
      .where(inArray(providerKeys.id, [...wanted]));
    for (const key of retired) known.set(key.id, key);
  }
  const byTask = new Map(detailRows.map((row) => [row.details.taskId, row]));
  return tasks.flatMap((task) => {
    const found = byTask.get(task.id);
    if (!found) return [];
    const dispatch = latest.get(task.id) ?? null;
    const { snapshot } = found.details;
    // A key replaced before the dispatch is not used any more, unless the account behind it has changed too.
    const queuedKeyId =
      found.currentKey && found.channelBaseUrl === snapshot.baseUrl ? found.currentKey.id : snapshot.keyId;
    const keyId = task.status === 'queued' ? queuedKeyId : (dispatch?.keyId ?? snapshot.keyId);
    return [{ task, details: found.details, dispatch, key: keyId ? (known.get(keyId) ?? null) : null }];
  });
}
