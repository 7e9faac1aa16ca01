import { sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { uuidArray } from '#server/lib/leases.ts';

/** Queued rows of a channel that are looked at; where there are more, nobody is told a place. */
const LINE = 1_000;

/**
 * Places in line of queued tasks, by id: 1 is next. A channel serves its users in turn, so what counts before a user's
 * third task are the first three of everybody else. One statement; channels with a longer line are left out.
 */
export async function readQueuePositions(
  db: DbOrTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = (await db.execute(sql`
    with channels as materialized (
      select distinct channel_id from generation_tasks where id = any(${uuidArray(ids)}) and status = 'queued'
    ), waiting as materialized (
      select q.* from channels c cross join lateral (
        select t.id, t.channel_id, t.user_id, t.next_poll_at from generation_tasks t
        where t.channel_id = c.channel_id and t.status = 'queued' limit ${LINE + 1}) q
    ), turns as (
      select id, channel_id, next_poll_at, count(*) over (partition by channel_id) as length,
        row_number() over (partition by channel_id, user_id order by next_poll_at, id) as turn
      from waiting
    ), line as (
      select id, length, row_number() over (partition by channel_id order by turn, next_poll_at, id)::int as place
      from turns
    )
    select id, place from line where id = any(${uuidArray(ids)}) and length <= ${LINE}`)) as unknown as {
    id: string;
    place: number;
  }[];
  return new Map(rows.map(({ id, place }) => [id, place]));
}
