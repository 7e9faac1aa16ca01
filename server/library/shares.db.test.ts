import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiToken } from '#server/auth/api-tokens.ts';
import { openSession } from '#server/auth/sessions.ts';
import { outputs, shareLinks, users } from '#server/db/schema/index.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { procedureCaller } from '#server/http/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser, type TestUser } from '#server/testing/factories.ts';
import type { SharedOutputView, ShareView } from './schemas.ts';

let t: TestDatabase;
let app: TestApp;
let call: ReturnType<typeof procedureCaller>;
let owner: TestUser;
let cookie: string;
let strangersCookie: string;

const BYTES = 'not really a picture';

beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t);
  call = procedureCaller(app.url);
  owner = await createUser(t.db);
  cookie = await cookieFor(owner);
  strangersCookie = await cookieFor(await createUser(t.db));
});
afterAll(async () => {
  await app.close();
  await t.close();
});

async function cookieFor({ id }: TestUser): Promise<string> {
  const session = await openSession(app.deps, { userId: id, userAgent: 'Test browser' });
  return session.cookie.split(';')[0] ?? '';
}

/** A succeeded task's file with stored bytes, a preview too. */
async function makeFile(kind: 'image' | 'text' = 'image', prompt = 'A secret harbour'): Promise<string> {
  const task = await createTask(t.db, { userId: owner.id, status: 'succeeded', kind, prompt });
  const storageKey = `outputs/${task.id}/0`;
  const previewKey = `previews/${task.id}/0.webp`;
  for (const key of [storageKey, previewKey])
    await app.deps.storage.put(key, Readable.from([Buffer.from(BYTES)]), { maxBytes: 100 });
  const [row] = await t.db
    .update(outputs)
    .set({ storageKey, previewKey, bytes: BYTES.length })
    .where(eq(outputs.taskId, task.id))
    .returning();
  return row?.id ?? '';
}

async function share(outputId: string, more: object = {}): Promise<ShareView & { token: string }> {
  const { data, error } = await call.mutate<ShareView>('shares.create', { outputId, ...more }, { cookie });
  if (!data) throw new Error(error?.message);
  return { ...data, token: data.path.replace('/share/', '') };
}

const open = async (token: string, as?: string) =>
  await call.mutate<SharedOutputView>('shares.open', { token }, as ? { cookie: as } : {});

const file = (token: string, init: RequestInit = {}, rest = '') =>
  fetch(`${app.url}/files/shares/${token}${rest}`, init);

const viewsOf = async (id: string) =>
  (await t.db.select().from(shareLinks).where(eq(shareLinks.id, id)))[0]?.views;

describe('a share link', () => {
  it('shows one file to anyone, without the prompt unless its owner says so, and counts who opens the page', async () => {
    const outputId = await makeFile();
    const link = await share(outputId);
    expect(link).toMatchObject({ state: 'open', views: 0, showPrompt: false });
    expect(link.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);

    const { data } = await open(link.token);
    expect(data).toMatchObject({ state: 'open', kind: 'image', prompt: null, modelTitle: 'Test model' });
    expect(await viewsOf(link.id)).toBe(1);
    await open(link.token, cookie);
    expect(await viewsOf(link.id)).toBe(1);
    await open(link.token, strangersCookie);
    expect(await viewsOf(link.id)).toBe(2);

    const whole = await file(link.token);
    expect([whole.status, await whole.text()]).toEqual([200, BYTES]);
    expect(whole.headers.get('content-type')).toBe('image/png');
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff');
    expect(whole.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(whole.headers.get('cache-control')).toBe('private, max-age=60, no-transform');
    const part = await file(link.token, { headers: { range: 'bytes=4-9' } });
    expect([part.status, await part.text()]).toEqual([206, 'really']);
    expect((await file(link.token, {}, '/preview')).headers.get('content-type')).toBe('image/webp');
    // Pieces of a file are no views.
    expect(await viewsOf(link.id)).toBe(2);

    const telling = await share(outputId, { showPrompt: true, expires: 'never' });
    expect((await open(telling.token)).data).toMatchObject({ prompt: 'A secret harbour', expiresAt: null });
    const texts = await file((await share(await makeFile('text'))).token);
    expect(texts.headers.get('content-disposition')).toMatch(/^attachment/);
  });

  it('ends when it expires or is revoked, when its file is thrown away, and with its owner', async () => {
    const outputId = await makeFile();
    const expectGone = async ({ token }: { token: string }) => {
      expect((await open(token)).data).toEqual({ state: 'gone' });
      expect((await file(token)).status).toBe(404);
      expect((await file(token, {}, '/preview')).status).toBe(404);
    };
    const expectOpen = async ({ token }: { token: string }) => {
      expect((await open(token)).data).toMatchObject({ state: 'open' });
      expect((await file(token)).status).toBe(200);
    };

    const expiring = await share(outputId, { expires: '1' });
    await expectOpen(expiring);
    await t.db.execute(
      sql`update share_links set created_at = now() - interval '2 days', expires_at = now() where id = ${expiring.id}`,
    );
    await expectGone(expiring);

    const revoked = await share(outputId);
    expect(
      (await call.mutate('shares.revoke', { shareId: revoked.id }, { cookie: strangersCookie })).status,
    ).toBe(404);
    await expectOpen(revoked);
    await call.mutate('shares.revoke', { shareId: revoked.id }, { cookie });
    await expectGone(revoked);

    const link = await share(outputId);
    await call.mutate('library.trash', { outputIds: [outputId] }, { cookie });
    await expectGone(link);
    expect((await call.mutate('shares.create', { outputId }, { cookie })).status).toBe(404);
    const { data: list } = await call.query<{ items: ShareView[] }>('shares.list', { cookie });
    const states = list?.items.filter((each) => each.outputId === outputId).map(({ state }) => state);
    expect(states).toEqual(['file_gone', 'revoked', 'expired']);
    await call.mutate('library.restore', { outputIds: [outputId] }, { cookie });
    await expectOpen(link);

    await t.db.update(users).set({ disabledAt: new Date() }).where(eq(users.id, owner.id));
    await expectGone(link);
    await t.db.update(users).set({ disabledAt: null }).where(eq(users.id, owner.id));
    await expectOpen(link);
  });

  it('cannot be guessed: only what we have signed is an address', async () => {
    const link = await share(await makeFile());
    const [id, signature = ''] = link.token.split('.');
    const other = await share(await makeFile());
    const forged = [
      id,
      `${id}.`,
      `${id}.${signature.slice(0, -2)}AA`,
      `${other.id}.${signature}`,
      `${id}.${app.deps.keyRing.sign(id ?? '')}`,
      'x'.repeat(150),
    ];
    for (const token of forged) {
      expect((await open(token ?? '')).status, token).toBe(404);
      expect((await file(token ?? '')).status, token).toBe(404);
    }
  });

  it('is made by its owner in a browser, and never for a foreign file', async () => {
    const outputId = await makeFile();
    expect((await call.mutate('shares.create', { outputId }, { cookie: strangersCookie })).status).toBe(404);
    const { secret } = await createApiToken(app.deps, { userId: owner.id, name: 'ci', scopes: ['read'] });
    expect((await call.mutate('shares.create', { outputId }, { token: secret })).status).toBe(403);
    expect((await call.query('shares.list', { token: secret })).status).toBe(200);
    expect((await call.query('library.list', { token: secret })).status).toBe(200);
  });
});

describe('files of the trash', () => {
  it('are served to their owner alone', async () => {
    const admin = await cookieFor(await createUser(t.db, { role: 'admin' }));
    const outputId = await makeFile();
    const statusFor = async (as: string) =>
      (await fetch(`${app.url}/files/outputs/${outputId}`, { headers: { cookie: as } })).status;
    expect([await statusFor(cookie), await statusFor(admin)]).toEqual([200, 200]);
    await call.mutate('library.trash', { outputIds: [outputId] }, { cookie });
    expect([await statusFor(cookie), await statusFor(admin)]).toEqual([200, 404]);
  });
});

describe('a selection as an archive', () => {
  const post = (ids: readonly string[], as: string | undefined) =>
    fetch(`${app.url}/files/library.zip`, {
      method: 'POST',
      body: new URLSearchParams(ids.map((id) => ['output', id])),
      headers: as ? { cookie: as, origin: app.url } : {},
    });

  it('has the files of this person under readable names', async () => {
    const [one, two, gone] = [
      await makeFile(),
      await makeFile('text', '../../etc: a\nletter'),
      await makeFile(),
    ];
    await call.mutate('library.trash', { outputIds: [gone] }, { cookie });
    const answer = await post([one, two, gone], cookie);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="sidelane-2-files.zip"');
    const zip = await buffer(Readable.fromWeb(answer.body as never));
    expect(zip.subarray(0, 2).toString()).toBe('PK');
    const text = zip.toString('latin1');
    expect(text).toMatch(/A secret harbour [0-9a-f]{8}-1\.png/);
    expect(text).toMatch(/etc a letter [0-9a-f]{8}-1\.txt/);
    expect(text).not.toContain('../');
    expect(text.match(new RegExp(BYTES, 'g'))).toHaveLength(2);
  });

  it('is refused to others, empty, for no ids, and for too many', async () => {
    const id = await makeFile();
    expect((await post([id], strangersCookie)).status).toBe(404);
    expect((await post([id], undefined)).status).toBe(401);
    expect((await post([], cookie)).status).toBe(400);
    expect((await post(['no-id'], cookie)).status).toBe(400);
    expect(
      (
        await post(
          Array.from({ length: 201 }, () => id),
          cookie,
        )
      ).status,
    ).toBe(400);
  });
});
