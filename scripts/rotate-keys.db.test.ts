import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { providerChannels, providerKeys } from '#server/db/schema/channels.ts';
import { webhookEndpoints } from '#server/db/schema/notifications.ts';
import { newId } from '#server/lib/ids.ts';
import { endpointContext } from '#server/notifications/schemas.ts';
import { getKeyAccess } from '#server/providers/channels/key-queries.ts';
import { rotateKeys } from '#server/providers/channels/rotate-keys.ts';
import { createKeyRing, webhookContext } from '#server/providers/channels/secrets.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OLD = '1a'.repeat(32);
const NEW = '2b'.repeat(32);
const BOTH = `2:${NEW},1:${OLD}`;
const oldRing = createKeyRing(OLD);

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());
beforeEach(async () => {
  await t.db.delete(webhookEndpoints);
  await t.db.delete(providerKeys);
  await t.db.delete(providerChannels);
});

/** A channel with a webhook secret, a current key and retired ones, all under version 1. */
async function addChannel(name: string, retired = 0): Promise<string> {
  const id = newId();
  await t.db.insert(providerChannels).values({
    id,
    name,
    protocol: 'openai',
    baseUrl: 'https://api.example/v1',
    webhookSecret: oldRing.seal(`whsec_${name}`, webhookContext(id)),
  });
  await t.db.insert(providerKeys).values(
    Array.from({ length: retired + 1 }, (_, number) => ({
      id: newId(),
      channelId: id,
      ...oldRing.seal(`sk-${name}-${number}`, id),
      hint: 'test',
      retiredAt: number === 0 ? null : new Date(),
    })),
  );
  return id;
}

function run(encryptionKey: string): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/rotate-keys.ts'], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: t.url, ENCRYPTION_KEY: encryptionKey },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

async function openAll(ring: ReturnType<typeof createKeyRing>) {
  const keys = await t.db.select().from(providerKeys).orderBy(providerKeys.id);
  const channels = await t.db.select().from(providerChannels).orderBy(providerChannels.id);
  return {
    keys: await Promise.all(keys.map((key) => getKeyAccess(t.db, ring, key.id))),
    secrets: channels.flatMap(({ id, webhookSecret }) =>
      webhookSecret ? [ring.open(webhookSecret, webhookContext(id))] : [],
    ),
  };
}

it('seals every key and secret under the newest version, retired ones too, and can be run again', async () => {
  await addChannel('one', 2);
  await addChannel('two');
  const before = await openAll(oldRing);
  const first = await run(BOTH);
  expect(first).toEqual({
    code: 0,
    out: [
      'Channel keys: 4 sealed anew; 4 under version 2, 0 under others.',
      'Webhook secrets: 2 sealed anew; 2 under version 2, 0 under others.',
      'Endpoint secrets: 0 sealed anew; 0 under version 2, 0 under others.',
      '',
    ].join('\n'),
    err: '',
  });
  expect(await openAll(createKeyRing(`2:${NEW}`))).toEqual(before);
  const rows = await t.sql`select ciphertext from provider_keys order by id`;
  const second = await run(BOTH);
  expect(second.code).toBe(0);
  expect(second.out).toContain('Channel keys: 0 sealed anew; 4 under version 2, 0 under others.');
  expect(await t.sql`select ciphertext from provider_keys order by id`).toEqual(rows);
});

it('goes through more rows than one batch holds', async () => {
  await addChannel('many', 230);
  const { resealed, now } = await rotateKeys({ db: t.db, keyRing: createKeyRing(BOTH) });
  expect(resealed).toEqual({ keys: 231, secrets: 1, endpoints: 0 });
  expect(now).toEqual({
    keys: { current: 231, left: 0 },
    secrets: { current: 1, left: 0 },
    endpoints: { current: 0, left: 0 },
  });
});

it('seals both secrets of people’s endpoints, and names the endpoint that does not open', async () => {
  const user = await createUser(t.db);
  const add = async (seal: (plain: string, context: string) => ReturnType<typeof oldRing.seal>) => {
    const id = newId();
    await t.db.insert(webhookEndpoints).values({
      id,
      userId: user.id,
      url: 'https://example.com/hook',
      events: ['task.failed'],
      secret: seal('whsec_now', endpointContext(id)),
      previousSecret: seal('whsec_before', endpointContext(id)),
      previousUntil: new Date(),
    });
    return id;
  };
  const fine = await add(oldRing.seal);
  const spoilt = await add(createKeyRing('3c'.repeat(32)).seal);
  const { resealed, now, unopened } = await rotateKeys({ db: t.db, keyRing: createKeyRing(BOTH) });
  expect(resealed.endpoints).toBe(1);
  expect(now.endpoints).toEqual({ current: 1, left: 1 });
  expect(unopened).toMatchObject([{ endpointId: spoilt }]);
  const [row] = await t.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, fine));
  const ring = createKeyRing(`2:${NEW}`);
  const sealed = [row?.secret, row?.previousSecret];
  expect(sealed.map((each) => each && ring.open(each, endpointContext(fine)))).toEqual([
    'whsec_now',
    'whsec_before',
  ]);
});

it('names what cannot be opened, without a secret, seals the rest and exits 1', async () => {
  const spoilt = await addChannel('spoilt');
  await addChannel('fine');
  const other = createKeyRing('3c'.repeat(32));
  await t.db
    .update(providerKeys)
    .set(other.seal('sk-of-another-server', spoilt))
    .where(eq(providerKeys.channelId, spoilt));
  const [key] = await t.db.select().from(providerKeys).where(eq(providerKeys.channelId, spoilt));
  const { code, out, err } = await run(BOTH);
  expect(code).toBe(1);
  expect(out).toContain('Channel keys: 1 sealed anew; 1 under version 2, 1 under others.');
  expect(out).toContain('Webhook secrets: 2 sealed anew; 2 under version 2, 0 under others.');
  expect(err).toContain(`Key ${key?.id} of channel "spoilt" (${spoilt}) stays as it is:`);
  expect(out + err).not.toMatch(/sk-|whsec_|1a1a|2b2b/);
  expect(out + err).not.toContain(key?.ciphertext);
});

it('takes nothing back to an older version', async () => {
  await addChannel('ahead');
  await rotateKeys({ db: t.db, keyRing: createKeyRing(BOTH) });
  const { code, err } = await run(OLD);
  expect(code).toBe(1);
  expect(err).toMatch(/sealed with version 2, which ENCRYPTION_KEY does not have/);
  expect((await openAll(createKeyRing(BOTH))).keys).toEqual(['sk-ahead-0']);
});

it('does not undo a replacement that comes in between', async () => {
  const id = await addChannel('busy');
  const ring = createKeyRing(BOTH);
  let replaced = false;
  const keyRing = {
    ...ring,
    open: (sealed: Parameters<typeof ring.open>[0], context: string) => {
      const plain = ring.open(sealed, context);
      replaced = true;
      return plain;
    },
  };
  const held = t.open();
  // The rotation has read the row and waits for this lock; the replacement is committed before it goes on.
  let rotation: Promise<unknown> | undefined;
  await held.db.transaction(async (tx) => {
    await tx.update(providerKeys).set(ring.seal('sk-replaced', id)).where(eq(providerKeys.channelId, id));
    rotation = rotateKeys({ db: t.db, keyRing });
    await expect.poll(() => replaced, { timeout: 60_000 }).toBe(true);
  });
  await rotation;
  expect((await openAll(ring)).keys).toEqual(['sk-replaced']);
});

it.each([
  ['', /Set ENCRYPTION_KEY/],
  ['nonsense', /64 hexadecimal digits/],
])('says in one line what is wrong with ENCRYPTION_KEY=%j', async (encryptionKey, says) => {
  const { code, out, err } = await run(encryptionKey);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(says);
  expect(err.trim().split('\n')).toHaveLength(1);
});
