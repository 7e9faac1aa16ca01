import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { providerChannels, providerKeys } from '#server/db/schema/channels.ts';
import { newId } from '#server/lib/ids.ts';
import { currentKey, getKeyAccess } from './key-queries.ts';
import { pauseChannel, recordChannelResult, reserveCreateSlot } from './queries.ts';
import { CHANNEL, createAdminRig, KEY } from './testing/admin-caller.ts';

const SECOND_KEY = 'sk-second-0123456789wxyz';

let rig: Awaited<ReturnType<typeof createAdminRig>>;
beforeAll(async () => {
  rig = await createAdminRig();
});
afterAll(() => rig.t.close());
beforeEach(() => rig.clear());

describe('channels', () => {
  it('stores the key sealed and shows only its hint', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const [row] = await rig.t.db.select().from(providerKeys).where(eq(providerKeys.channelId, channelId));
    expect(JSON.stringify(row)).not.toContain(KEY);
    const list = await rig.admin.channels.list();
    expect(list).toMatchObject([
      {
        id: channelId,
        name: 'Main',
        baseUrl: 'https://api.example/v1',
        enabled: true,
        maxInFlight: 100,
        key: { hint: 'abcd' },
        retiredKeys: 0,
        models: 0,
      },
    ]);
    expect(JSON.stringify(list)).not.toContain(KEY);
    expect(JSON.stringify(list)).not.toContain(row?.ciphertext);
  });

  it('B32: a replaced key is retired and stays usable; the trimmed new one is current', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const first = await currentKey(rig.t.db, channelId);
    await rig.admin.channels.replaceKey({ channelId, apiKey: `${SECOND_KEY}\r\n` });
    const second = await currentKey(rig.t.db, channelId);
    expect(second).not.toBe(first);
    expect(await getKeyAccess(rig.t.db, rig.keyRing, first ?? '')).toBe(KEY);
    expect(await getKeyAccess(rig.t.db, rig.keyRing, second ?? '')).toBe(SECOND_KEY);
    expect(await rig.admin.channels.list()).toMatchObject([{ key: { hint: 'wxyz' }, retiredKeys: 1 }]);
    expect(rig.seen.woken).toBe(1);
  });

  it('two replacements at once leave exactly one current key', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    await Promise.all(
      [1, 2, 3, 4].map((number) =>
        rig.admin.channels.replaceKey({ channelId, apiKey: `${SECOND_KEY}${number}` }),
      ),
    );
    const keys = await rig.t.db.select().from(providerKeys).where(eq(providerKeys.channelId, channelId));
    expect(keys).toHaveLength(5);
    expect(keys.filter((key) => key.retiredAt === null)).toHaveLength(1);
  });

  it('a key moved to another channel does not open', async () => {
    const one = await rig.admin.channels.create(CHANNEL);
    const two = await rig.admin.channels.create({ ...CHANNEL, name: 'Other' });
    const keyId = (await currentKey(rig.t.db, one.channelId)) ?? '';
    await rig.t.db.delete(providerKeys).where(eq(providerKeys.channelId, two.channelId));
    await rig.t.db.update(providerKeys).set({ channelId: two.channelId }).where(eq(providerKeys.id, keyId));
    await expect(getKeyAccess(rig.t.db, rig.keyRing, keyId)).rejects.toThrow(/cannot be opened/);
    expect(await rig.admin.channels.test({ channelId: two.channelId })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/replace the key/),
    });
    expect(await rig.admin.channels.test({ channelId: one.channelId })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/has no key/),
    });
  });

  it('tests with the current key and answers a sentence', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    expect(await rig.admin.channels.test({ channelId })).toEqual({ ok: true, message: 'It works.' });
    expect(rig.seen.tested).toEqual([
      { protocol: 'openai', baseUrl: 'https://api.example/v1', apiKey: KEY, settings: undefined },
    ]);
  });

  it('keeps what the last test came to, when, and who asked', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    expect(await rig.admin.channels.list()).toMatchObject([{ lastTest: null }]);
    await rig.admin.channels.test({ channelId });
    const [tested] = await rig.admin.channels.list();
    expect(tested?.lastTest).toEqual({
      at: expect.any(Date),
      by: expect.stringContaining('@'),
      ok: true,
      message: 'It works.',
    });
    await rig.t.db.delete(providerKeys).where(eq(providerKeys.channelId, channelId));
    await rig.admin.channels.test({ channelId });
    const [again] = await rig.admin.channels.list();
    expect(again?.lastTest).toMatchObject({ ok: false, message: expect.stringMatching(/has no key/) });
    expect(again).not.toHaveProperty('testedBy');
  });

  it('changes what is named and nothing else', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    await rig.admin.channels.update({ channelId, enabled: false, maxInFlight: 7 });
    expect(await rig.admin.channels.list()).toMatchObject([
      { name: 'Main', baseUrl: 'https://api.example/v1', enabled: false, maxInFlight: 7 },
    ]);
    expect(rig.seen.woken).toBe(1);
  });

  it('refuses a taken name, an unknown channel and a bad address in words', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    await expect(rig.admin.channels.create(CHANNEL)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/name/),
    });
    const other = await rig.admin.channels.create({ ...CHANNEL, name: 'Other' });
    await expect(
      rig.admin.channels.update({ channelId: other.channelId, name: 'Main' }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(rig.admin.channels.update({ channelId: newId(), enabled: true })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(rig.admin.channels.replaceKey({ channelId: newId(), apiKey: KEY })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(rig.admin.channels.test({ channelId: newId() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(rig.admin.channels.update({ channelId, baseUrl: 'ftp://x.example' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  it('keeps limits of its own, and null takes them away', async () => {
    const limits = {
      requestsPerMinute: 30,
      pollPace: { firstMs: 1_000, capMs: 20_000 },
      deadlineSeconds: 600,
      resultWindowSeconds: 3_600,
    };
    const { channelId } = await rig.admin.channels.create({ ...CHANNEL, ...limits });
    expect(await rig.admin.channels.list()).toMatchObject([limits]);
    await rig.admin.channels.update({ channelId, name: 'Renamed' });
    expect(await rig.admin.channels.list()).toMatchObject([limits]);
    const none = {
      requestsPerMinute: null,
      pollPace: null,
      deadlineSeconds: null,
      resultWindowSeconds: null,
    };
    await rig.admin.channels.update({ channelId, ...none });
    expect(await rig.admin.channels.list()).toMatchObject([none]);
  });

  it('a new rate counts from now, not from places taken under the old one', async () => {
    const { channelId } = await rig.admin.channels.create({ ...CHANNEL, requestsPerMinute: 1 });
    expect(await reserveCreateSlot(rig.t.db, channelId)).toBe(0);
    expect(await reserveCreateSlot(rig.t.db, channelId)).toBeGreaterThan(0);
    await rig.admin.channels.update({ channelId, requestsPerMinute: 600 });
    expect(await reserveCreateSlot(rig.t.db, channelId)).toBe(0);
    await rig.admin.channels.update({ channelId, requestsPerMinute: 600, name: 'Same rate' });
    expect(await rig.t.sql`select 1 from provider_channels where next_create_at is not null`).toHaveLength(1);
  });

  it('is turned off and on with a reason, which wakes what waits', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const off = { channelId, enabled: false, reason: 'Their bill is unpaid' };
    await rig.admin.channels.switch(off);
    await rig.admin.channels.switch(off);
    expect((await rig.admin.channels.list())[0]).toMatchObject({ enabled: false, pausedUntil: null });
    const woken = rig.seen.woken;
    await rig.admin.channels.switch({ channelId, enabled: true, reason: 'It is paid' });
    expect(rig.seen.woken).toBe(woken + 1);
    const deeds = (await rig.audit()).filter(({ subjectId }) => subjectId === channelId);
    expect(deeds.map(({ action, reason, actorId }) => [action, reason, actorId])).toEqual([
      ['channel.enable', 'It is paid', rig.adminId],
      ['channel.disable', 'Their bill is unpaid', rig.adminId],
      ['channel.create', null, rig.adminId],
    ]);
    await expect(rig.admin.channels.switch({ ...off, reason: '' })).rejects.toThrow(/Say why/);
  });

  it('is for administrators only', async () => {
    const someone = rig.someone;
    await expect(someone.channels.list()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(someone.channels.create(CHANNEL)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(rig.callerOf({ type: 'anonymous' }).models.list()).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    expect(await rig.t.db.select().from(providerChannels)).toEqual([]);
  });
});

describe('results of a channel', () => {
  it('counts failures in a row and forgets them at a success', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    await recordChannelResult(rig.t.db, channelId, { errorClass: 'server_error' });
    await recordChannelResult(rig.t.db, channelId, { errorClass: 'unauthorized' });
    expect(await rig.admin.channels.list()).toMatchObject([
      { consecutiveFailures: 2, lastErrorClass: 'unauthorized' },
    ]);
    await recordChannelResult(rig.t.db, channelId, { ok: true });
    expect(await rig.admin.channels.list()).toMatchObject([
      { consecutiveFailures: 0, lastErrorClass: 'unauthorized' },
    ]);
  });

  it('a healthy channel is not written at every success', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const version = async () =>
      (await rig.t.sql`select xmin::text as xmin from provider_channels where id = ${channelId}`)[0]?.xmin;
    const before = await version();
    for (let turn = 0; turn < 5; turn += 1) await recordChannelResult(rig.t.db, channelId, { ok: true });
    expect(await version()).toBe(before);
  });

  it('B28: a pause is counted from now, never shortened, and at most a day', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const left = async () =>
      Number(
        (
          await rig.t
            .sql`select extract(epoch from paused_until - now()) as s from provider_channels where id = ${channelId}`
        )[0]?.s,
      );
    await pauseChannel(rig.t.db, channelId, 60_000);
    expect(await left()).toBeGreaterThan(30);
    await pauseChannel(rig.t.db, channelId, 1_000);
    expect(await left()).toBeGreaterThan(30);
    await pauseChannel(rig.t.db, channelId, Number.MAX_SAFE_INTEGER);
    // Polls go on sooner than creates: results of jobs that run already expire.
    expect(await left()).toBeLessThanOrEqual(900);
    expect(await left()).toBeGreaterThan(800);
    const [row] = await rig.t.sql`
      select extract(epoch from cool_down_until - now())::float as s from provider_channels where id = ${channelId}`;
    expect(row?.s).toBeLessThanOrEqual(86_400);
    expect(row?.s).toBeGreaterThan(80_000);
    const [channel] = await rig.admin.channels.list();
    expect(channel?.pausedUntil).toBeInstanceOf(Date);
  });
});
