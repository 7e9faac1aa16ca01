import { sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { CHANNEL_OPEN, CREATES_FROM, IN_FLIGHT_OF_USER } from '../claim-queries.ts';
import type { Status } from '../status.ts';

/** What the claim looks at, of one task, read at one moment. */
export type ClaimFacts = {
  status: Status;
  isDue: boolean;
  channelOpen: boolean;
  dueAt: string | null;
  leaseUntil: string | null;
  leased: boolean;
  workerId: string | null;
  wakeSeq: number;
  channelName: string;
  channelEnabled: boolean;
  pausedUntil: string | null;
  createsFrom: string | null;
  createsOpen: boolean;
  channelInFlight: number;
  channelMost: number;
  userInFlight: number;
  userMost: number;
  giveUpAt: string;
  deadlineAt: string | null;
  uncertainUntil: string | null;
  waitingUntil: string | null;
  archiveUntil: string | null;
};

/** By the predicates of the claim themselves; undefined when there is no such task. */
export async function readClaimFacts(
  db: DbOrTx,
  input: { taskId: string; userInFlight: number },
): Promise<ClaimFacts | undefined> {
  const [row] = await db.execute<ClaimFacts>(sql`
    select generation_tasks.status, next_poll_at <= now() as "isDue", ${CHANNEL_OPEN} as "channelOpen",
      generation_tasks.next_poll_at as "dueAt", generation_tasks.lease_until as "leaseUntil",
      coalesce(generation_tasks.lease_until >= now(), false) as leased,
      generation_tasks.worker_id as "workerId", generation_tasks.wake_seq::float8 as "wakeSeq",
      c.name as "channelName", c.enabled as "channelEnabled",
      case when c.paused_until > now() then c.paused_until end as "pausedUntil",
      case when ${CREATES_FROM} > now() then ${CREATES_FROM} end as "createsFrom",
      coalesce(${CREATES_FROM} <= now(), true) as "createsOpen",
      (select count(*)::int from (select 1 from generation_tasks l
        where l.channel_id = c.id and l.status in ('dispatching', 'running') limit c.max_in_flight) live) as "channelInFlight",
      c.max_in_flight as "channelMost",
      (select count(*)::int from (select 1 from generation_tasks l
        where l.user_id = u.id and ${IN_FLIGHT_OF_USER} limit u.cap) live) as "userInFlight",
      u.cap as "userMost",
      generation_tasks.give_up_at as "giveUpAt", generation_tasks.deadline_at as "deadlineAt",
      generation_tasks.uncertain_until as "uncertainUntil", generation_tasks.waiting_until as "waitingUntil",
      generation_tasks.archive_until as "archiveUntil"
    from generation_tasks
    join provider_channels c on c.id = generation_tasks.channel_id
    join (select id, coalesce(in_flight_limit, ${input.userInFlight}::int) as cap from users) u
      on u.id = generation_tasks.user_id
    where generation_tasks.id = ${input.taskId}`);
  return row;
}
