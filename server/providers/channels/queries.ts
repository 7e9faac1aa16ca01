import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { models, providerChannels, providerKeys } from '#server/db/schema/channels.ts';
import type { KeyRing } from '#server/deps.ts';
import type { ChannelView } from './schemas.ts';

const MAX_PAUSE_MS = 24 * 60 * 60 * 1000;

type ChannelRow = typeof providerChannels.$inferSelect;

/** All channels with their current key's hint, by name. No key material is read. */
export async function listChannels(db: DbOrTx): Promise<ChannelView[]> {
  const rows = await db
    .select({
      channel: providerChannels,
      hint: providerKeys.hint,
      since: providerKeys.createdAt,
      retiredKeys: sql<number>`(select count(*)::int from ${providerKeys} retired where retired.channel_id = ${providerChannels.id} and retired.retired_at is not null)`,
      models: sql<number>`(select count(*)::int from ${models} owned where owned.channel_id = ${providerChannels.id})`,
    })
    .from(providerChannels)
    .leftJoin(
      providerKeys,
      and(eq(providerKeys.channelId, providerChannels.id), isNull(providerKeys.retiredAt)),
    )
    .orderBy(providerChannels.name);
  return rows.map(({ channel, hint, since, retiredKeys, models: count }) => ({
    id: channel.id,
    name: channel.name,
    protocol: channel.protocol,
    baseUrl: channel.baseUrl,
    enabled: channel.enabled,
    maxInFlight: channel.maxInFlight,
    pausedUntil: channel.pausedUntil && channel.pausedUntil > new Date() ? channel.pausedUntil : null,
    consecutiveFailures: channel.consecutiveFailures,
    lastErrorClass: channel.lastErrorClass,
    lastErrorAt: channel.lastErrorAt,
    key: hint !== null && since !== null ? { hint, since } : null,
    retiredKeys,
    models: count,
    createdAt: channel.createdAt,
  }));
}

export async function findChannel(db: DbOrTx, channelId: string): Promise<ChannelRow | undefined> {
  const [row] = await db.select().from(providerChannels).where(eq(providerChannels.id, channelId));
  return row;
}

export async function insertChannel(db: DbOrTx, values: typeof providerChannels.$inferInsert): Promise<void> {
  await db.insert(providerChannels).values(values);
}

/** False when there is no such channel. */
export async function saveChannel(
  db: DbOrTx,
  channelId: string,
  set: Partial<Pick<ChannelRow, 'name' | 'baseUrl' | 'enabled' | 'maxInFlight'>>,
): Promise<boolean> {
  const rows = await db
    .update(providerChannels)
    .set({ ...set, updatedAt: sql`now()` })
    .where(eq(providerChannels.id, channelId))
    .returning({ id: providerChannels.id });
  return rows.length > 0;
}

/** Retires the current key, if any, and makes `key` the current one. Locks the channel, so two replacements queue up. */
export async function replaceCurrentKey(tx: DbOrTx, key: typeof providerKeys.$inferInsert): Promise<void> {
  await tx
    .select({ id: providerChannels.id })
    .from(providerChannels)
    .where(eq(providerChannels.id, key.channelId))
    .for('no key update');
  await tx
    .update(providerKeys)
    .set({ retiredAt: sql`now()` })
    .where(and(eq(providerKeys.channelId, key.channelId), isNull(providerKeys.retiredAt)));
  await tx.insert(providerKeys).values(key);
}

/** Id of the key that new tasks of a channel use. */
export async function currentKey(db: DbOrTx, channelId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: providerKeys.id })
    .from(providerKeys)
    .where(and(eq(providerKeys.channelId, channelId), isNull(providerKeys.retiredAt)))
    .orderBy(desc(providerKeys.createdAt))
    .limit(1);
  return row?.id;
}

/**
 * Opens a key, also a retired one: tasks are polled with the key that created them.
 *
 * @throws Error without any secret in it when the key is not there or does not open
 */
export async function getKeyAccess(db: DbOrTx, keyRing: KeyRing, keyId: string): Promise<string> {
  const [row] = await db.select().from(providerKeys).where(eq(providerKeys.id, keyId));
  if (!row) throw new Error(`There is no channel key ${keyId}.`);
  return keyRing.open(row, row.channelId);
}

/**
 * Counts what a channel answers, for administrators: failures in a row and the last class of error. A success writes
 * only when there is something to reset, so that a healthy channel's row stays still under thousands of polls.
 */
export async function recordChannelResult(
  db: DbOrTx,
  channelId: string,
  result: { ok: true } | { errorClass: string },
): Promise<void> {
  if ('ok' in result) {
    await db
      .update(providerChannels)
      .set({ consecutiveFailures: 0 })
      .where(and(eq(providerChannels.id, channelId), gt(providerChannels.consecutiveFailures, 0)));
    return;
  }
  await db
    .update(providerChannels)
    .set({
      consecutiveFailures: sql`${providerChannels.consecutiveFailures} + 1`,
      lastErrorClass: result.errorClass.slice(0, 100),
      lastErrorAt: sql`now()`,
    })
    .where(eq(providerChannels.id, channelId));
}

/**
 * Stops new work on a channel for `pauseMs` milliseconds from now (database clock), at most a day: the answer to a
 * 429. A longer pause that is already set stays.
 */
export async function pauseChannel(db: DbOrTx, channelId: string, pauseMs: number): Promise<void> {
  const bounded = Math.min(Math.max(Math.ceil(pauseMs), 0), MAX_PAUSE_MS);
  const until = sql`now() + ${bounded} * interval '1 millisecond'`;
  await db
    .update(providerChannels)
    .set({ pausedUntil: until, lastErrorClass: 'rate_limited', lastErrorAt: sql`now()` })
    .where(
      and(
        eq(providerChannels.id, channelId),
        sql`(${providerChannels.pausedUntil} is null or ${providerChannels.pausedUntil} < ${until})`,
      ),
    );
}
