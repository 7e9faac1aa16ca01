import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { providerChannels } from '#server/db/schema/channels.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { recordChannelResult, reserveCreateSlot } from './queries.ts';

let t: TestDatabase;
let channelId: string;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());
beforeEach(async () => {
  channelId = newId();
  await t.db.insert(providerChannels).values({
    id: channelId,
    name: channelId,
    protocol: 'openai',
    baseUrl: 'https://api.example/v1',
  });
});

const setLimit = (requestsPerMinute: number | null) =>
  t.db.update(providerChannels).set({ requestsPerMinute }).where(eq(providerChannels.id, channelId));

/** Lets `ms` milliseconds pass for the pacer. */
const age = (ms: number) =>
  t.db
    .update(providerChannels)
    .set({ nextCreateAt: sql`${providerChannels.nextCreateAt} - ${ms} * interval '1 millisecond'` })
    .where(eq(providerChannels.id, channelId));

/** Takes places at once and tells how many, and how many more a machine as slow as this one may have earned. */
async function reserveAtOnce(count: number, requestsPerMinute: number) {
  const other = t.open();
  const started = performance.now();
  const waits = await Promise.all(
    Array.from({ length: count }, (_, index) => reserveCreateSlot(index % 2 ? other.db : t.db, channelId)),
  );
  const earned = Math.floor(((performance.now() - started) * requestsPerMinute) / 60_000);
  return { taken: waits.filter((wait) => wait === 0).length, waits, earned };
}

describe('places for creates', () => {
  it.each([
    { perMinute: 1, atOnce: 1 },
    { perMinute: 10, atOnce: 1 },
    { perMinute: 40, atOnce: 4 },
  ])('B28 two processes that ask 20 times together get $atOnce of $perMinute a minute', async (limit) => {
    await setLimit(limit.perMinute);
    const { taken, waits, earned } = await reserveAtOnce(20, limit.perMinute);
    expect(taken).toBeGreaterThanOrEqual(limit.atOnce);
    expect(taken).toBeLessThanOrEqual(limit.atOnce + earned);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(60_000 / limit.perMinute);
  });

  it('a refused place costs none, and the wait that was told is long enough', async () => {
    await setLimit(1);
    expect(await reserveCreateSlot(t.db, channelId)).toBe(0);
    let wait = 0;
    for (let turn = 0; turn < 5; turn += 1) wait = await reserveCreateSlot(t.db, channelId);
    expect(wait).toBeGreaterThan(1_000);
    expect(wait).toBeLessThanOrEqual(60_000);
    await age(wait);
    expect(await reserveCreateSlot(t.db, channelId)).toBe(0);
    expect(await reserveCreateSlot(t.db, channelId)).toBeGreaterThan(1_000);
  });

  it('idle time saves up no more than a tenth of a minute', async () => {
    await setLimit(40);
    expect(await reserveCreateSlot(t.db, channelId)).toBe(0);
    await age(3_600_000);
    const { taken, earned } = await reserveAtOnce(20, 40);
    expect(taken).toBeGreaterThanOrEqual(4);
    expect(taken).toBeLessThanOrEqual(4 + earned);
  });

  it('a channel without a limit takes every create and is never written for it', async () => {
    const { taken } = await reserveAtOnce(20, 0);
    expect(taken).toBe(20);
    const [channel] = await t.db.select().from(providerChannels).where(eq(providerChannels.id, channelId));
    expect(channel?.nextCreateAt).toBeNull();
    expect(await reserveCreateSlot(t.db, newId())).toBe(0);
  });
});

describe('the cool-down', () => {
  const fail = () => recordChannelResult(t.db, channelId, { errorClass: 'server_error' });
  async function coolDownSeconds(): Promise<number | null> {
    const [row] = await t.db
      .select({
        // last_error_at is the now() of the same statement.
        seconds: sql<
          string | null
        >`extract(epoch from ${providerChannels.coolDownUntil} - ${providerChannels.lastErrorAt})`,
      })
      .from(providerChannels)
      .where(eq(providerChannels.id, channelId));
    return row?.seconds == null ? null : Number(row.seconds);
  }

  it('begins at the fifth failure in a row and doubles up to a quarter of an hour', async () => {
    const seen: (number | null)[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      await fail();
      seen.push(await coolDownSeconds());
    }
    expect(seen).toEqual([null, null, null, null, 30, 60, 120, 240, 480, 900, 900, 900]);
  });

  it('stays within its bound however long the row of failures is', async () => {
    await t.db
      .update(providerChannels)
      .set({ consecutiveFailures: 2_000_000 })
      .where(eq(providerChannels.id, channelId));
    await fail();
    expect(await coolDownSeconds()).toBe(900);
  });

  it('counts failures of several processes', async () => {
    await Promise.all(Array.from({ length: 5 }, fail));
    expect(await coolDownSeconds()).toBe(30);
  });

  it('ends at a success', async () => {
    for (let turn = 0; turn < 6; turn += 1) await fail();
    await recordChannelResult(t.db, channelId, { ok: true });
    expect(await coolDownSeconds()).toBeNull();
    await fail();
    expect(await coolDownSeconds()).toBeNull();
  });
});
