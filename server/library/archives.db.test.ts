import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '#server/auth/sessions.ts';
import { outputs } from '#server/db/schema/index.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { procedureCaller } from '#server/http/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser, type TestUser } from '#server/testing/factories.ts';
import type { ArchiveView } from './schemas.ts';

let t: TestDatabase;
let app: TestApp;
let call: ReturnType<typeof procedureCaller>;
let owner: TestUser;
let cookie: string;
let strangersCookie: string;

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

/** A succeeded task's file with stored bytes. */
async function makeFile(): Promise<string> {
  const task = await createTask(t.db, { userId: owner.id, status: 'succeeded', kind: 'image' });
  const storageKey = `outputs/${task.id}/0`;
  await app.deps.storage.put(storageKey, Readable.from([Buffer.from('a picture')]), { maxBytes: 100 });
  const [row] = await t.db.update(outputs).set({ storageKey }).where(eq(outputs.taskId, task.id)).returning();
  return row?.id ?? '';
}

async function collect(name: string, outputIds: readonly string[]): Promise<string> {
  const { data } = await call.mutate<{ id: string }>('library.collections.create', { name }, { cookie });
  const collectionId = data?.id ?? '';
  if (outputIds.length > 0)
    await call.mutate('library.collections.addOutputs', { collectionId, outputIds }, { cookie });
  return collectionId;
}

const measure = async (collection: string) =>
  (await call.query<ArchiveView>('library.archive', { cookie }, { collection })).data;

describe('a list as an archive', () => {
  const get = (query: string, as: string | undefined, method = 'GET') =>
    fetch(`${app.url}/files/library.zip${query}`, { method, headers: as ? { cookie: as } : {} });

  it('has a whole collection under its name, without what is in the trash', async () => {
    const [one, two, gone, other] = [await makeFile(), await makeFile(), await makeFile(), await makeFile()];
    const id = await collect('Harbours / 港口', [one, two, gone]);
    await call.mutate('library.trash', { outputIds: [gone] }, { cookie });
    await call.mutate('library.favorite', { outputIds: [other], favorite: true }, { cookie });
    expect(await measure(id)).toMatchObject({
      files: 2,
      fits: true,
    });
    const answer = await get(`?collection=${id}`, cookie);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const said = answer.headers.get('content-disposition') ?? '';
    expect(decodeURIComponent(said)).toContain('Harbours 港口.zip');
    const zip = (await buffer(Readable.fromWeb(answer.body as never))).toString('latin1');
    expect(zip.match(/a picture/g)).toHaveLength(2);
    const favorites = await get('?favorite=1', cookie);
    const starred = (await buffer(Readable.fromWeb(favorites.body as never))).toString('latin1');
    expect(starred.match(/a picture/g)).toHaveLength(1);
    expect((await get(`?collection=${id}`, cookie, 'HEAD')).status).toBe(200);
  });

  it('is refused to others, when it is empty, and for what is no list', async () => {
    const id = await collect('Mine', [await makeFile()]);
    expect((await get(`?collection=${id}`, strangersCookie)).status).toBe(404);
    expect((await get(`?collection=${id}`, undefined)).status).toBe(401);
    expect((await get(`?collection=${await collect('Empty', [])}`, cookie)).status).toBe(404);
    expect((await get('?collection=no-id', cookie)).status).toBe(400);
    expect((await get('?kind=image&kind=video', cookie)).status).toBe(400);
  });

  it('is refused beyond its bounds, which are said before', async () => {
    const id = await collect('Heavy', [await makeFile(), await makeFile()]);
    await t.db.execute(sql`
      update outputs set bytes = 4000000001
      where id in (select output_id from collection_outputs where collection_id = ${id}::uuid)`);
    expect(await measure(id)).toMatchObject({
      files: 2,
      bytes: 8_000_000_002,
      fits: false,
    });
    expect((await get(`?collection=${id}`, cookie)).status).toBe(413);
  });
});
