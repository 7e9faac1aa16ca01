import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { providerChannels, providerKeys } from '#server/db/schema/channels.ts';
import { newId } from '#server/lib/ids.ts';
import { webhookContext } from './secrets.ts';
import { CHANNEL, createAdminRig, KEY } from './testing/admin-caller.ts';

const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let rig: Awaited<ReturnType<typeof createAdminRig>>;
beforeAll(async () => {
  rig = await createAdminRig();
});
afterAll(() => rig.t.close());
beforeEach(() => rig.clear());

async function storedSecret(channelId: string): Promise<string | null> {
  const [row] = await rig.t.db.select().from(providerChannels).where(eq(providerChannels.id, channelId));
  return row?.webhookSecret ? rig.keyRing.open(row.webhookSecret, webhookContext(channelId)) : null;
}

const auditOf = async (channelId: string) => (await rig.audit()).filter((row) => row.subjectId === channelId);

describe('the webhook secret', () => {
  it('is sealed, never answered, kept by other changes and taken away by null', async () => {
    const { channelId } = await rig.admin.channels.create({
      ...CHANNEL,
      webhookSecret: ` ${WEBHOOK_SECRET}\n`,
    });
    expect(await storedSecret(channelId)).toBe(WEBHOOK_SECRET);
    const list = await rig.admin.channels.list();
    expect(list).toMatchObject([{ hasWebhookSecret: true }]);
    const [row] = await rig.t.db.select().from(providerChannels);
    expect(JSON.stringify([list, row])).not.toContain(WEBHOOK_SECRET.slice(6));
    expect(JSON.stringify(list)).not.toContain(row?.webhookSecret?.ciphertext);

    await rig.admin.channels.update({ channelId, name: 'Renamed' });
    expect(await storedSecret(channelId)).toBe(WEBHOOK_SECRET);
    await rig.admin.channels.update({ channelId, webhookSecret: 'whsec_anotherone' });
    expect(await storedSecret(channelId)).toBe('whsec_anotherone');
    await rig.admin.channels.update({ channelId, webhookSecret: null });
    expect(await storedSecret(channelId)).toBeNull();
    expect(await rig.admin.channels.list()).toMatchObject([{ hasWebhookSecret: false }]);
  });

  it('of one channel does not open on another, nor as a key', async () => {
    const one = await rig.admin.channels.create({ ...CHANNEL, webhookSecret: WEBHOOK_SECRET });
    const [row] = await rig.t.db.select().from(providerChannels);
    const sealed = row?.webhookSecret;
    if (!sealed) throw new Error('The secret was not stored');
    expect(() => rig.keyRing.open(sealed, webhookContext(newId()))).toThrow(/cannot be opened/);
    expect(() => rig.keyRing.open(sealed, one.channelId)).toThrow(/cannot be opened/);
  });

  it.each(['sk-live_0123456789', 'whsec_not*base64', 'https://example.com/hook'])(
    'that could verify nothing is refused: %s',
    async (webhookSecret) => {
      await expect(rig.admin.channels.create({ ...CHANNEL, webhookSecret })).rejects.toMatchObject({
        code: 'UNPROCESSABLE_CONTENT',
        message: expect.stringMatching(/Copy it again/),
      });
    },
  );

  it('is refused where the protocol has none', async () => {
    await expect(
      rig.admin.channels.create({ ...CHANNEL, protocol: 'runway', webhookSecret: WEBHOOK_SECRET }),
    ).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
    expect(await rig.admin.channels.list()).toEqual([]);
  });

  it('goes with an address to report to, where the protocol has webhooks', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    await rig.admin.channels.create({ ...CHANNEL, name: 'None', protocol: 'gemini' });
    expect((await rig.admin.channels.list()).map((channel) => channel.webhookAddress)).toEqual([
      `https://sidelane.example/webhooks/${channelId}`,
      null,
    ]);
  });
});

describe('revealing a key', () => {
  it('answers the current key and leaves who asked, and why', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const [key] = await rig.t.db.select().from(providerKeys);
    const answer = await rig.admin.channels.revealKey({ channelId, reason: ' Moving to another vault ' });
    expect(answer).toEqual({ apiKey: KEY });
    const [entry] = await auditOf(channelId);
    expect(entry).toMatchObject({
      action: 'channel.reveal_key',
      subject: 'channel',
      actorId: rig.adminId,
      reason: 'Moving to another vault',
      data: { keyId: key?.id },
    });
  });

  it('is refused without a reason, to others, and for a channel without key; nothing is written then', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const before = (await rig.audit()).length;
    for (const reason of ['', '  ', 'no']) {
      await expect(rig.admin.channels.revealKey({ channelId, reason })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
    const asked = { channelId, reason: 'I would like to know' };
    await expect(rig.someone.channels.revealKey(asked)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(rig.callerOf({ type: 'anonymous' }).channels.revealKey(asked)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    await rig.t.db.delete(providerKeys);
    await expect(rig.admin.channels.revealKey(asked)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await rig.audit()).length).toBe(before);
  });

  it('does not answer the key when the audit row cannot be written', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const stranger = rig.callerOf({
      type: 'session',
      sessionId: 's',
      user: { id: newId(), email: 'gone@example.com', displayName: 'Gone', role: 'admin' },
    });
    await expect(
      stranger.channels.revealKey({ channelId, reason: 'My account is not there' }),
    ).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: expect.not.stringContaining(KEY) });
  });

  it('a key that does not open says so, without a trace of it', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    await rig.t.db.update(providerKeys).set({ sealedWith: 9 });
    await expect(rig.admin.channels.revealKey({ channelId, reason: 'Looking' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/replace the key/),
    });
  });
});

describe('a pause by an administrator', () => {
  const minutesLeft = async (channelId: string) => {
    const [row] = await rig.t
      .sql`select extract(epoch from paused_until - now()) / 60 as minutes from provider_channels where id = ${channelId}`;
    return row?.minutes === null ? null : Number(row?.minutes);
  };

  it('lasts as long as was said, also when that is shorter than before, and is ended with a reason', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    await rig.admin.channels.pause({ channelId, minutes: 1_440, reason: 'Their maintenance' });
    expect(await minutesLeft(channelId)).toBeGreaterThan(1_400);
    await rig.admin.channels.pause({ channelId, minutes: 60, reason: 'It goes faster' });
    expect(await minutesLeft(channelId)).toBeLessThanOrEqual(60);
    expect(await rig.admin.channels.list()).toMatchObject([{ pausedUntil: expect.any(Date) }]);
    await rig.t.db.update(providerChannels).set({ coolDownUntil: new Date(Date.now() + 600_000) });
    expect(await rig.admin.channels.list()).toMatchObject([{ coolDownUntil: expect.any(Date) }]);

    await rig.admin.channels.resume({ channelId, reason: 'It is over' });
    expect(await rig.admin.channels.list()).toMatchObject([{ pausedUntil: null, coolDownUntil: null }]);
    expect(rig.seen.woken).toBe(1);
    expect((await auditOf(channelId)).map((row) => [row.action, row.reason])).toEqual([
      ['channel.resume', 'It is over'],
      ['channel.pause', 'It goes faster'],
      ['channel.pause', 'Their maintenance'],
      ['channel.create', null],
    ]);
  });

  it('is refused without a reason, for longer than a day, and for no channel', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const reason = 'Their maintenance';
    for (const input of [
      { channelId, minutes: 10, reason: '' },
      { channelId, minutes: 1_441, reason },
      { channelId, minutes: 0, reason },
    ]) {
      await expect(rig.admin.channels.pause(input)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    await expect(rig.admin.channels.pause({ channelId: newId(), minutes: 5, reason })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(rig.admin.channels.resume({ channelId: newId(), reason })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(rig.someone.channels.pause({ channelId, minutes: 5, reason })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await minutesLeft(channelId)).toBeNull();
  });
});

it('the audit log tells what changed and holds no key, secret or sealed text', async () => {
  const { channelId } = await rig.admin.channels.create({ ...CHANNEL, webhookSecret: WEBHOOK_SECRET });
  await rig.admin.channels.update({
    channelId,
    name: 'Renamed',
    maxInFlight: 100,
    requestsPerMinute: 30,
    pollPace: { firstMs: 1_000, capMs: 2_000 },
    webhookSecret: 'whsec_anotherone',
  });
  await rig.admin.channels.update({ channelId, pollPace: { firstMs: 1_000, capMs: 2_000 } });
  await rig.admin.channels.replaceKey({ channelId, apiKey: 'sk-second-0123456789wxyz' });
  const rows = await auditOf(channelId);
  expect(rows.map((row) => row.action)).toEqual(['channel.replace_key', 'channel.update', 'channel.create']);
  expect(rows[1]?.data).toEqual({
    changes: {
      name: { from: 'Main', to: 'Renamed' },
      requestsPerMinute: { from: null, to: 30 },
      pollPace: { from: null, to: { firstMs: 1_000, capMs: 2_000 } },
      webhookVerification: 'stored',
    },
  });
  expect(rows[0]?.data).toMatchObject({ hint: 'wxyz' });
  const text = JSON.stringify(rows);
  for (const secret of [KEY, WEBHOOK_SECRET, 'whsec_anotherone', 'sk-second', 'ciphertext']) {
    expect(text).not.toContain(secret);
  }
});

describe('settings of the protocol', () => {
  it('are checked by its own schema and handed to the test call', async () => {
    const settings = { jwksUrl: 'https://keys.example/jwks.json' };
    const { channelId } = await rig.admin.channels.create({ ...CHANNEL, protocol: 'fal', settings });
    expect(await rig.admin.channels.list()).toMatchObject([{ settings }]);
    await rig.admin.channels.test({ channelId });
    expect(rig.seen.tested).toMatchObject([{ settings }]);
    await rig.admin.channels.update({ channelId, name: 'Renamed' });
    expect(await rig.admin.channels.list()).toMatchObject([{ settings }]);
    await rig.admin.channels.update({ channelId, settings: null });
    expect(await rig.admin.channels.list()).toMatchObject([{ settings: null }]);
  });

  it.each([
    ['openai', { anything: 1 }, /takes no settings/],
    ['fal', { jwksUrl: 'file:///etc/passwd' }, /jwksUrl: Enter a complete address/],
    ['fal', { other: 1 }, /other/],
    ['custom', undefined, /Describe the protocol/],
    ['custom', { auth: 7 }, /auth/],
  ] as const)('of %s: %o is refused in words', async (protocol, settings, message) => {
    await expect(rig.admin.channels.create({ ...CHANNEL, protocol, settings })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: expect.stringMatching(message),
    });
    expect(await rig.admin.channels.list()).toEqual([]);
  });
});
