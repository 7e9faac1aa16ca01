import { and, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { models, providerChannels, providerKeys } from '#server/db/schema/channels.ts';
import { users } from '#server/db/schema/users.ts';
import type { ChannelView } from './schemas.ts';

const MAX_PAUSE_MS = 24 * 60 * 60 * 1000;
const MAX_POLL_PAUSE_MS = 900_000;
const FAILURES_BEFORE_COOL_DOWN = 5;
const COOL_DOWN_SECONDS = 30;
const MAX_COOL_DOWN_SECONDS = 900;

export type ChannelRow = typeof providerChannels.$inferSelect;

/** All channels with their current key's hint, by name. No key material is read. */
export async function listChannels(db: DbOrTx): Promise<Omit<ChannelView, 'webhookAddress'>[]> {
  const rows = await db
    .select({
      channel: providerChannels,
      hint: providerKeys.hint,
      since: providerKeys.createdAt,
      retiredKeys: sql<number>`(select count(*)::int from ${providerKeys} retired where retired.channel_id = ${providerChannels.id} and retired.retired_at is not null)`,
      models: sql<number>`(select count(*)::int from ${models} owned where owned.channel_id = ${providerChannels.id})`,
      testedByEmail: users.email,
      isPaused: sql<boolean>`coalesce(${providerChannels.pausedUntil} > now(), false)`,
      isCoolingDown: sql<boolean>`coalesce(${providerChannels.coolDownUntil} > now(), false)`,
    })
    .from(providerChannels)
    .leftJoin(
      providerKeys,
      and(eq(providerKeys.channelId, providerChannels.id), isNull(providerKeys.retiredAt)),
    )
    .leftJoin(users, eq(users.id, providerChannels.testedBy))
    .orderBy(providerChannels.name);
  return rows.map(({ channel, hint, since, ...row }) => {
    const {
      webhookSecret,
      nextCreateAt: _nextCreateAt,
      updatedAt: _updatedAt,
      testedAt,
      testedBy: _testedBy,
      testOk,
      testMessage,
      ...view
    } = channel;
    return {
      ...view,
      pausedUntil: row.isPaused ? channel.pausedUntil : null,
      coolDownUntil: row.isCoolingDown ? channel.coolDownUntil : null,
      key: hint !== null && since !== null ? { hint, since } : null,
      hasWebhookSecret: webhookSecret !== null,
      lastTest: testedAt && {
        at: testedAt,
        by: row.testedByEmail,
        ok: testOk === true,
        message: testMessage ?? '',
      },
      retiredKeys: row.retiredKeys,
      models: row.models,
    };
  });
}

export async function findChannel(db: DbOrTx, channelId: string): Promise<ChannelRow | undefined> {
  const [row] = await db.select().from(providerChannels).where(eq(providerChannels.id, channelId));
  return row;
}

/** The channel, locked until the transaction ends: for changes that depend on what it is now. */
export async function lockChannel(tx: DbOrTx, channelId: string): Promise<ChannelRow | undefined> {
  const [row] = await tx
    .select()
    .from(providerChannels)
    .where(eq(providerChannels.id, channelId))
    .for('no key update');
  return row;
}

export async function insertChannel(db: DbOrTx, values: typeof providerChannels.$inferInsert): Promise<void> {
  await db.insert(providerChannels).values(values);
}

export type ChannelChange = Partial<
  Pick<
    ChannelRow,
    | 'name'
    | 'baseUrl'
    | 'enabled'
    | 'maxInFlight'
    | 'requestsPerMinute'
    | 'nextCreateAt'
    | 'pollPace'
    | 'deadlineSeconds'
    | 'resultWindowSeconds'
    | 'settings'
    | 'webhookSecret'
  >
>;

export async function saveChannel(tx: DbOrTx, channelId: string, set: ChannelChange): Promise<void> {
  await tx
    .update(providerChannels)
    .set({ ...set, updatedAt: sql`now()` })
    .where(eq(providerChannels.id, channelId));
}

/** Keeps what a test came to; the time is the database's. */
export async function saveTest(
  db: DbOrTx,
  channelId: string,
  { ok, message, actorId }: { ok: boolean; message: string; actorId: string },
): Promise<void> {
  await db
    .update(providerChannels)
    .set({ testedAt: sql`now()`, testedBy: actorId, testOk: ok, testMessage: message.slice(0, 2_000) })
    .where(eq(providerChannels.id, channelId));
}

/** Pauses a channel until `minutes` from now, whatever pause there was; null ends a pause and a cool-down. */
export async function setPause(tx: DbOrTx, channelId: string, minutes: number | null): Promise<void> {
  const set =
    minutes === null
      ? { pausedUntil: null, coolDownUntil: null }
      : { pausedUntil: sql`now() + ${minutes} * interval '1 minute'` };
  await tx.update(providerChannels).set(set).where(eq(providerChannels.id, channelId));
}

/**
 * Counts what a channel answers: failures in a row and the last class of error. From the fifth failure on the channel
 * cools down, for 30 seconds that double with each further one up to 15 minutes; a success ends that. It writes only
 * when there is something to reset, so that a healthy channel's row stays still under thousands of polls.
 */
export async function recordChannelResult(
  db: DbOrTx,
  channelId: string,
  result: { ok: true } | { errorClass: string },
): Promise<void> {
  if ('ok' in result) {
    await db
      .update(providerChannels)
      .set({
        consecutiveFailures: 0,
        // A wait that upstream asked for is not over because another call was answered.
        coolDownUntil: sql`case when ${providerChannels.consecutiveFailures} >= ${FAILURES_BEFORE_COOL_DOWN}
          then null else ${providerChannels.coolDownUntil} end`,
      })
      .where(and(eq(providerChannels.id, channelId), gt(providerChannels.consecutiveFailures, 0)));
    return;
  }
  // In an update's SET, the column is the number before this failure; the exponent is bounded against overflow.
  const before = providerChannels.consecutiveFailures;
  await db
    .update(providerChannels)
    .set({
      consecutiveFailures: sql`${before} + 1`,
      lastErrorClass: result.errorClass.slice(0, 100),
      lastErrorAt: sql`now()`,
      coolDownUntil: sql`case when ${before} + 1 < ${FAILURES_BEFORE_COOL_DOWN} then ${providerChannels.coolDownUntil}
        else now() + least(
          ${COOL_DOWN_SECONDS} * power(2, least(${before} + 1 - ${FAILURES_BEFORE_COOL_DOWN}, 10)),
          ${MAX_COOL_DOWN_SECONDS}) * interval '1 second' end`,
    })
    .where(eq(providerChannels.id, channelId));
}

/**
 * Takes a place for one create on a channel that limits them per minute. The places are a minute divided by the limit
 * apart, and a tenth of a minute's worth (at least one) may be taken at once. One conditional UPDATE on the database's
 * clock, so processes that ask together never take more; a place that is refused costs none.
 *
 * @returns milliseconds until a place may be free, or 0: it is taken, send the create now. Also 0 without a limit
 */
export async function reserveCreateSlot(db: DbOrTx, channelId: string): Promise<number> {
  const { id, nextCreateAt, requestsPerMinute } = providerChannels;
  const spacing = sql`(interval '1 minute' / ${requestsPerMinute})`;
  const opensAt = sql`(${nextCreateAt} - greatest(interval '6 seconds' - ${spacing}, interval '0'))`;
  // clock_timestamp(): now() stands still while this waits for another process's reservation.
  const taken = await db
    .update(providerChannels)
    .set({ nextCreateAt: sql`greatest(${nextCreateAt}, clock_timestamp()) + ${spacing}` })
    .where(
      and(
        eq(id, channelId),
        isNotNull(requestsPerMinute),
        or(isNull(nextCreateAt), sql`${opensAt} <= clock_timestamp()`),
      ),
    )
    .returning({ id });
  if (taken.length > 0) return 0;
  const [row] = await db
    .select({ waitMs: sql<string>`extract(epoch from ${opensAt} - clock_timestamp()) * 1000` })
    .from(providerChannels)
    .where(and(eq(id, channelId), isNotNull(requestsPerMinute)));
  return row ? Math.max(1, Math.ceil(Number(row.waitMs))) : 0;
}

/**
 * The answer to a 429: no new work on a channel for `pauseMs` milliseconds from now (database clock), at most a day, and
 * no polls for as long, but a quarter of an hour at most: results of jobs that run already expire. What is set for
 * longer stays.
 */
export async function pauseChannel(db: DbOrTx, channelId: string, pauseMs: number): Promise<void> {
  const bounded = Math.min(Math.max(Math.ceil(pauseMs), 0), MAX_PAUSE_MS);
  const until = sql`now() + ${bounded} * interval '1 millisecond'`;
  const pollsFrom = sql`now() + ${Math.min(bounded, MAX_POLL_PAUSE_MS)} * interval '1 millisecond'`;
  const { pausedUntil, coolDownUntil } = providerChannels;
  await db
    .update(providerChannels)
    .set({
      pausedUntil: sql`greatest(${pausedUntil}, ${pollsFrom})`,
      ...(bounded > MAX_POLL_PAUSE_MS ? { coolDownUntil: sql`greatest(${coolDownUntil}, ${until})` } : {}),
      lastErrorClass: 'rate_limited',
      lastErrorAt: sql`now()`,
    })
    .where(
      and(
        eq(providerChannels.id, channelId),
        or(
          sql`(${pausedUntil} is null or ${pausedUntil} < ${pollsFrom})`,
          bounded > MAX_POLL_PAUSE_MS
            ? sql`(${coolDownUntil} is null or ${coolDownUntil} < ${until})`
            : undefined,
        ),
      ),
    );
}
