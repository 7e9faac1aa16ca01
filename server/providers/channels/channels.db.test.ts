import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { models, providerChannels, providerKeys } from '#server/db/schema/channels.ts';
import { createDueSignal } from '#server/lib/due-signal.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import type { Context, Identity } from '#server/trpc/context.ts';
import { createCallerFactory, router } from '#server/trpc/init.ts';
import type { ChannelAccess } from '../provider.ts';
import { modelsRouter } from './models-router.ts';
import { currentKey, getKeyAccess, pauseChannel, recordChannelResult } from './queries.ts';
import { channelsRouter } from './router.ts';
import { createKeyRing } from './secrets.ts';

const KEY = 'sk-first-0123456789abcd';
const SECOND_KEY = 'sk-second-0123456789wxyz';
const keyRing = createKeyRing('c3'.repeat(32));
const appRouter = router({ channels: channelsRouter, models: modelsRouter });

let t: TestDatabase;
let woken = 0;
let tested: ChannelAccess[] = [];
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());
beforeEach(async () => {
  woken = 0;
  tested = [];
  await t.db.delete(models);
  await t.db.delete(providerKeys);
  await t.db.delete(providerChannels);
});

function callerOf(identity: Identity) {
  const due = createDueSignal();
  due.onWake(() => {
    woken += 1;
  });
  const providers = {
    has: (protocol: string, endpoint: string) => protocol === 'openai' && endpoint !== 'chat',
    check: async (access: ChannelAccess) => {
      tested.push(access);
      return { ok: true, message: 'It works.' };
    },
  };
  const deps = { db: t.db, keyRing, newId, due, providers } as unknown as Context['deps'];
  return createCallerFactory(appRouter)({ deps, identity } as Context);
}

const user = (role: 'user' | 'admin'): Identity => ({
  type: 'session',
  sessionId: 's',
  user: { id: newId(), email: 'someone@example.com', displayName: 'Someone', role },
});
const admin = () => callerOf(user('admin'));

const input = { name: 'Main', baseUrl: 'https://api.example/v1/', apiKey: ` ${KEY}\n` };

describe('channels', () => {
  it('stores the key sealed and shows only its hint', async () => {
    const { channelId } = await admin().channels.create(input);
    const [row] = await t.db.select().from(providerKeys).where(eq(providerKeys.channelId, channelId));
    expect(JSON.stringify(row)).not.toContain(KEY);
    const list = await admin().channels.list();
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
    const { channelId } = await admin().channels.create(input);
    const first = await currentKey(t.db, channelId);
    await admin().channels.replaceKey({ channelId, apiKey: `${SECOND_KEY}\r\n` });
    const second = await currentKey(t.db, channelId);
    expect(second).not.toBe(first);
    expect(await getKeyAccess(t.db, keyRing, first ?? '')).toBe(KEY);
    expect(await getKeyAccess(t.db, keyRing, second ?? '')).toBe(SECOND_KEY);
    expect(await admin().channels.list()).toMatchObject([{ key: { hint: 'wxyz' }, retiredKeys: 1 }]);
    expect(woken).toBe(1);
  });

  it('two replacements at once leave exactly one current key', async () => {
    const { channelId } = await admin().channels.create(input);
    await Promise.all(
      [1, 2, 3, 4].map((number) =>
        admin().channels.replaceKey({ channelId, apiKey: `${SECOND_KEY}${number}` }),
      ),
    );
    const keys = await t.db.select().from(providerKeys).where(eq(providerKeys.channelId, channelId));
    expect(keys).toHaveLength(5);
    expect(keys.filter((key) => key.retiredAt === null)).toHaveLength(1);
  });

  it('a key moved to another channel does not open', async () => {
    const one = await admin().channels.create(input);
    const two = await admin().channels.create({ ...input, name: 'Other' });
    const keyId = (await currentKey(t.db, one.channelId)) ?? '';
    await t.db.delete(providerKeys).where(eq(providerKeys.channelId, two.channelId));
    await t.db.update(providerKeys).set({ channelId: two.channelId }).where(eq(providerKeys.id, keyId));
    await expect(getKeyAccess(t.db, keyRing, keyId)).rejects.toThrow(/cannot be opened/);
    expect(await admin().channels.test({ channelId: two.channelId })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/Replace the key/),
    });
    expect(await admin().channels.test({ channelId: one.channelId })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/has no key/),
    });
  });

  it('tests with the current key and answers a sentence', async () => {
    const { channelId } = await admin().channels.create(input);
    expect(await admin().channels.test({ channelId })).toEqual({ ok: true, message: 'It works.' });
    expect(tested).toEqual([{ protocol: 'openai', baseUrl: 'https://api.example/v1', apiKey: KEY }]);
  });

  it('changes what is named and nothing else', async () => {
    const { channelId } = await admin().channels.create(input);
    await admin().channels.update({ channelId, enabled: false, maxInFlight: 7 });
    expect(await admin().channels.list()).toMatchObject([
      { name: 'Main', baseUrl: 'https://api.example/v1', enabled: false, maxInFlight: 7 },
    ]);
    expect(woken).toBe(1);
  });

  it('refuses a taken name, an unknown channel and a bad address in words', async () => {
    const { channelId } = await admin().channels.create(input);
    await expect(admin().channels.create(input)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/name/),
    });
    const other = await admin().channels.create({ ...input, name: 'Other' });
    await expect(admin().channels.update({ channelId: other.channelId, name: 'Main' })).rejects.toMatchObject(
      { code: 'CONFLICT' },
    );
    await expect(admin().channels.update({ channelId: newId(), enabled: true })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(admin().channels.replaceKey({ channelId: newId(), apiKey: KEY })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(admin().channels.test({ channelId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(admin().channels.update({ channelId, baseUrl: 'ftp://x.example' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  it('is for administrators only', async () => {
    const someone = callerOf(user('user'));
    await expect(someone.channels.list()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(someone.channels.create(input)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(callerOf({ type: 'anonymous' }).models.list()).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    expect(await t.db.select().from(providerChannels)).toEqual([]);
  });
});

describe('results of a channel', () => {
  it('counts failures in a row and forgets them at a success', async () => {
    const { channelId } = await admin().channels.create(input);
    await recordChannelResult(t.db, channelId, { errorClass: 'server_error' });
    await recordChannelResult(t.db, channelId, { errorClass: 'unauthorized' });
    expect(await admin().channels.list()).toMatchObject([
      { consecutiveFailures: 2, lastErrorClass: 'unauthorized' },
    ]);
    await recordChannelResult(t.db, channelId, { ok: true });
    expect(await admin().channels.list()).toMatchObject([
      { consecutiveFailures: 0, lastErrorClass: 'unauthorized' },
    ]);
  });

  it('a healthy channel is not written at every success', async () => {
    const { channelId } = await admin().channels.create(input);
    const version = async () =>
      (await t.sql`select xmin::text as xmin from provider_channels where id = ${channelId}`)[0]?.xmin;
    const before = await version();
    for (let turn = 0; turn < 5; turn += 1) await recordChannelResult(t.db, channelId, { ok: true });
    expect(await version()).toBe(before);
  });

  it('B28: a pause is counted from now, never shortened, and at most a day', async () => {
    const { channelId } = await admin().channels.create(input);
    const left = async () =>
      Number(
        (
          await t.sql`select extract(epoch from paused_until - now()) as s from provider_channels where id = ${channelId}`
        )[0]?.s,
      );
    await pauseChannel(t.db, channelId, 60_000);
    expect(await left()).toBeGreaterThan(30);
    await pauseChannel(t.db, channelId, 1_000);
    expect(await left()).toBeGreaterThan(30);
    await pauseChannel(t.db, channelId, Number.MAX_SAFE_INTEGER);
    expect(await left()).toBeLessThanOrEqual(86_400);
    expect(await left()).toBeGreaterThan(80_000);
    const [channel] = await admin().channels.list();
    expect(channel?.pausedUntil).toBeInstanceOf(Date);
  });
});

describe('models', () => {
  it('come ready-made with a channel, under free names', async () => {
    const templates = ['gpt-image-1', 'tts-1', 'no-such-template'];
    await admin().channels.create({ ...input, templates });
    await admin().channels.create({ ...input, name: 'Second', templates: ['gpt-image-1'] });
    const list = await admin().models.list();
    expect(list.map((each) => each.slug).sort()).toEqual(['gpt-image-1', 'gpt-image-1-2', 'tts-1']);
    expect(list.find((each) => each.slug === 'tts-1')).toMatchObject({
      kind: 'audio',
      enabled: true,
      channel: { name: 'Main' },
    });
    expect((await admin().channels.templates()).length).toBeGreaterThan(4);
  });

  const modelInput = (channelId: string) => ({
    slug: 'my-video',
    kind: 'video' as const,
    channelId,
    title: 'My video',
    upstreamModel: 'v1',
    endpoint: 'videos' as const,
    parameters: {
      seconds: { type: 'integer' as const, label: 'Seconds', minimum: 1, maximum: 10, default: 4 },
    },
    price: { unit: 'second' as const, credits: 2 },
  });

  it('are added, changed, hidden and shown', async () => {
    const { channelId } = await admin().channels.create(input);
    const { modelId } = await admin().models.create(modelInput(channelId));
    await admin().models.update({ modelId, title: 'Better', price: { unit: 'call', credits: 9 } });
    await admin().models.enable({ modelId, enabled: false });
    expect(await admin().models.list()).toMatchObject([
      {
        id: modelId,
        title: 'Better',
        price: { unit: 'call', credits: 9 },
        enabled: false,
        upstreamModel: 'v1',
        deadlineSeconds: 3_600,
      },
    ]);
  });

  it('are refused in words when they cannot work', async () => {
    const { channelId } = await admin().channels.create(input);
    const { modelId } = await admin().models.create(modelInput(channelId));
    await expect(admin().models.create(modelInput(channelId))).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(admin().models.create({ ...modelInput(newId()), slug: 'other' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(admin().models.update({ modelId, parameters: {} })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    });
    await expect(admin().models.update({ modelId: newId(), title: 'x' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(admin().models.enable({ modelId: newId(), enabled: true })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(
      admin().models.create({
        ...modelInput(channelId),
        slug: 'text',
        kind: 'text',
        endpoint: 'chat',
        parameters: {},
        price: { unit: 'call', credits: 1 },
      }),
    ).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT', message: expect.stringMatching(/no endpoint/) });
  });
});
