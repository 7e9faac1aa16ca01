import { sql } from 'drizzle-orm';
import type { Tx } from '#server/db/client.ts';
import { IN_FLIGHT_OF_USER } from './claim-queries.ts';

/**
 * Whether one more task of a user may be under way, by the user's own limit or else the general one. Claims count rows
 * that others may be about to move; here those who move one wait for each other until their transaction ends, so the count
 * is the truth, and the limit holds however many processes claim at once.
 */
export async function hasRoomInFlight(
  tx: Tx,
  input: { userId: string; userInFlight: number },
): Promise<boolean> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`in-flight:${input.userId}`}, 0))`);
  // A statement of its own: what committed while this one waited is seen by it.
  const [row] = await tx.execute<{ room: boolean }>(sql`
    select (select count(*) from (select 1 from generation_tasks l
      where l.user_id = u.id and ${IN_FLIGHT_OF_USER} limit u.cap) live) < u.cap as room
    from (select id, coalesce(in_flight_limit, ${input.userInFlight}::int) as cap from users
      where id = ${input.userId}) u`);
  return row?.room ?? false;
}
