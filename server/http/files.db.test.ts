import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { eq } from 'drizzle-orm';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { outputs, uploads } from '#server/db/schema/index.ts';
import { AppError } from '#server/lib/app-error.ts';
import { newId } from '#server/lib/ids.ts';
import { createLogger } from '#server/lib/logger.ts';
import type { AssetStore } from '#server/storage/asset-store.ts';
import { createAssetStore } from '#server/storage/create-asset-store.ts';
import { makePreview } from '#server/storage/make-preview.ts';
import { storeOutput } from '#server/storage/store-output.ts';
import { makeImage } from '#server/storage/testing/media-fixtures.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser, type TestUser } from '#server/testing/factories.ts';
import type { Identity, Scope } from '#server/trpc/context.ts';
import { errorHandler } from './error-handler.ts';
import { createFilesRouter } from './files.ts';

const MAX_UPLOAD_BYTES = 200_000;

let t: TestDatabase;
let dir: string;
let store: AssetStore;
let server: Server;
let origin: string;
let owner: TestUser;
let stranger: TestUser;
let admin: TestUser;
let identity: Identity = { type: 'anonymous' };
let png: Buffer;

beforeAll(async () => {
  t = await createTestDatabase();
  dir = await mkdtemp(join(tmpdir(), 'sidelane-files-'));
  store = createAssetStore({ driver: 'fs', dir });
  png = await makeImage('png');
  [owner, stranger, admin] = [
    await createUser(t.db),
    await createUser(t.db),
    await createUser(t.db, { role: 'admin' }),
  ];
  const deps = {
    db: t.db,
    storage: store,
    newId,
    logger: createLogger('silent'),
    config: { maxUploadBytes: MAX_UPLOAD_BYTES },
  };
  const app = express();
  app.use(createFilesRouter({ deps, resolveIdentity: async () => identity }), errorHandler(deps.logger));
  server = app.listen(0, '127.0.0.1');
  // The client keeps connections between tests; on a slow machine the server would close one just as it is used.
  server.keepAliveTimeout = 600_000;
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await t.close();
  await rm(dir, { recursive: true, force: true });
});

afterEach(async () => {
  await t.db.delete(uploads);
  await rm(join(dir, 'uploads'), { recursive: true, force: true });
});

function asSession(user: TestUser): void {
  identity = { type: 'session', user, sessionId: 's' };
}

function asToken(user: TestUser, scopes: Scope[]): void {
  identity = { type: 'api-token', user, tokenId: 't', scopes };
}

/** A succeeded image task of `owner` whose output and preview are really stored. */
async function createOutput(bytes: Buffer = png, mime = 'image/png') {
  const kind = mime === 'text/plain' ? 'text' : 'image';
  const task = await createTask(t.db, { status: 'succeeded', userId: owner.id, kind });
  const key = `outputs/${task.id}/0`;
  const result = await storeOutput(store, { key, kind, source: Readable.from([bytes]), maxBytes: 1_000_000 });
  if (result.type !== 'stored') throw new Error(result.message);
  const preview = await makePreview(store, { storageKey: key, kind, mime });
  const { sha256, storageKey } = result.output;
  const [row] = await t.db
    .update(outputs)
    .set({ kind, mime, sha256, storageKey, bytes: bytes.byteLength, previewKey: preview?.storageKey ?? null })
    .where(eq(outputs.taskId, task.id))
    .returning();
  if (!row) throw new Error('The factory made no output.');
  return row;
}

async function messageOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { error: { message: string } };
  return body.error.message;
}

async function filesBelow(prefix: string): Promise<string[]> {
  const entries = await readdir(join(dir, prefix), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe('outputs', () => {
  it('are sent to their owner with the sniffed type, the checksum as validator and a telling name', async () => {
    const output = await createOutput();
    asSession(owner);
    const answer = await fetch(`${origin}/files/outputs/${output.id}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('etag')).toBe(`"${output.sha256}"`);
    expect(answer.headers.get('content-disposition')).toBe(
      `inline; filename="sidelane-image-${output.taskId.slice(-8)}-1.png"`,
    );
    expect(Buffer.from(await answer.arrayBuffer()).equals(png)).toBe(true);
    const head = await fetch(`${origin}/files/outputs/${output.id}`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(png.byteLength));
    const part = await fetch(`${origin}/files/outputs/${output.id}`, { headers: { range: 'bytes=1-3' } });
    expect([part.status, await part.text()]).toEqual([206, 'PNG']);
  });

  it('have a preview', async () => {
    const output = await createOutput();
    asSession(owner);
    const answer = await fetch(`${origin}/files/outputs/${output.id}/preview`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/webp');
    expect(answer.headers.get('etag')).toMatch(/^W\//);
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(8, 12)
        .toString(),
    ).toBe('WEBP');
  });

  it('of text are plain text, whatever they contain', async () => {
    const output = await createOutput(Buffer.from('<script>alert(1)</script>'), 'text/plain');
    asSession(owner);
    const answer = await fetch(`${origin}/files/outputs/${output.id}`);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await fetch(`${origin}/files/outputs/${output.id}/preview`)).status).toBe(404);
  });

  it('that were removed say so to their owner, and to nobody else', async () => {
    const output = await createOutput();
    await t.db.update(outputs).set({ removedAt: new Date() }).where(eq(outputs.id, output.id));
    const paths = [`outputs/${output.id}`, `outputs/${output.id}/preview`];
    for (const [user, message] of [
      [owner, "This file was removed by its owner's retention setting."],
      [stranger, 'There is no such file.'],
    ] as const) {
      asSession(user);
      for (const path of paths) {
        const answer = await fetch(`${origin}/files/${path}`);
        expect([answer.status, await messageOf(answer)]).toEqual([404, message]);
      }
    }
  });

  it('look the same to strangers as what does not exist', async () => {
    const output = await createOutput();
    const [upload] = await t.db
      .insert(uploads)
      .values({ userId: owner.id, storageKey: 'x', fileName: 'x', mime: 'image/png', bytes: 1, sha256: 'x' })
      .returning();
    const foreign = [`outputs/${output.id}`, `outputs/${output.id}/preview`, `uploads/${upload?.id}`];
    const unknown = [
      `outputs/${newId()}`,
      `outputs/${newId()}/preview`,
      `uploads/${newId()}`,
      'outputs/1',
      'uploads/..%2f',
    ];
    const becomeStranger = [
      () => asSession(stranger),
      () => asToken(stranger, ['read']),
      () => asToken(admin, ['read']),
    ];
    for (const become of becomeStranger) {
      become();
      for (const path of [...foreign, ...unknown]) {
        const answer = await fetch(`${origin}/files/${path}`);
        expect([path, answer.status, await messageOf(answer)]).toEqual([path, 404, 'There is no such file.']);
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
    }
  });

  it('can be read by a token with the scope and by an administrator, by nobody else', async () => {
    const { id } = await createOutput();
    const status = async () => (await fetch(`${origin}/files/outputs/${id}`)).status;
    asToken(owner, ['read']);
    expect(await status()).toBe(200);
    asSession(admin);
    expect(await status()).toBe(200);
    asToken(owner, ['submit', 'cancel']);
    expect(await status()).toBe(403);
    for (const other of [{ type: 'anonymous' }, { type: 'service', workerId: 'w', protocol: 1 }] as const) {
      identity = other;
      expect(await status()).toBe(401);
    }
  });

  it('that vanished from storage give a clear 404 that nobody caches', async () => {
    const output = await createOutput();
    await store.delete(output.storageKey);
    asSession(owner);
    const answer = await fetch(`${origin}/files/outputs/${output.id}`);
    expect([answer.status, await messageOf(answer)]).toEqual([404, 'This file is no longer in storage.']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('etag')).not.toBe(`"${output.sha256}"`);
  });
});

describe('uploading', () => {
  function form(...files: [name: string, content: Buffer | string, field?: string][]): FormData {
    const data = new FormData();
    for (const [name, content, field] of files)
      data.append(
        field ?? 'file',
        new Blob([typeof content === 'string' ? content : new Uint8Array(content)]),
        name,
      );
    return data;
  }

  async function send(body: FormData | string, headers: Record<string, string> = {}) {
    const answer = await fetch(`${origin}/files/uploads`, { method: 'POST', body, headers });
    return { status: answer.status, body: (await answer.json()) as unknown };
  }

  it('stores several files and answers with what they are', async () => {
    asSession(owner);
    const answer = await send(form(['../photo.txt', png], ['notes.md', 'Grüße\n'], ['data.json', '{"a":1}']));
    expect(answer).toEqual({
      status: 201,
      body: {
        uploads: [
          { id: expect.any(String), fileName: 'photo.txt', mime: 'image/png', bytes: png.byteLength },
          { id: expect.any(String), fileName: 'notes.md', mime: 'text/plain', bytes: 8 },
          { id: expect.any(String), fileName: 'data.json', mime: 'text/plain', bytes: 7 },
        ],
      },
    });
    const { uploads: sent } = answer.body as { uploads: { id: string }[] };
    const back = await fetch(`${origin}/files/uploads/${sent[0]?.id}?download=1`);
    expect(back.headers.get('content-disposition')).toBe('attachment; filename="photo.txt"');
    expect(Buffer.from(await back.arrayBuffer()).equals(png)).toBe(true);
  });

  it.each<[string, Buffer | string, number, RegExp]>([
    ['an empty file', '', 422, /^The file is empty/],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 422, /^This is SVG\. Upload an image/],
    ['HTML', '<!doctype html><p>', 422, /^This is HTML/],
    ['binary data', Buffer.from([1, 2, 0, 255]), 422, /^This is an unknown format/],
    [
      'a damaged image',
      Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
      422,
      /cannot be read|unknown format/,
    ],
    ['a file above the cap', 'x'.repeat(MAX_UPLOAD_BYTES + 1), 413, /^A file may have at most 200 kB\.$/],
    ['a far larger file', 'x'.repeat(MAX_UPLOAD_BYTES * 40), 413, /^A file may have at most 200 kB\.$/],
  ])(
    'refuses %s, with the good ones before it, and leaves nothing behind',
    async (_name, content, status, message) => {
      asSession(owner);
      const answer = await send(form(['good.png', png], ['bad', content], ['after.png', png]));
      expect(answer).toMatchObject({ status, body: { error: { message: expect.stringMatching(message) } } });
      expect(await t.db.select().from(uploads)).toEqual([]);
      expect(await filesBelow('uploads')).toEqual([]);
      expect(await filesBelow('.tmp')).toEqual([]);
    },
  );

  it('refuses what is no multipart form, a form without a file, and a broken form', async () => {
    asSession(owner);
    expect(await send('{}', { 'content-type': 'application/json' })).toMatchObject({ status: 415 });
    expect(await send('x', { 'content-type': 'multipart/form-data' })).toMatchObject({ status: 400 });
    expect(await send(form(['x.png', png, 'other']))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/Choose a file/) } },
    });
    const cut = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf';
    expect(await send(cut, { 'content-type': 'multipart/form-data; boundary=b' })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/not a complete multipart form/) } },
    });
    expect(
      await send(form(...Array.from({ length: 17 }, (): [string, string] => ['a.txt', 'x']))),
    ).toMatchObject({ status: 413 });
    expect(await t.db.select().from(uploads)).toEqual([]);
    expect(await filesBelow('uploads')).toEqual([]);
  });

  it('needs a session, or a token that may submit', async () => {
    identity = { type: 'anonymous' };
    expect(await send(form(['a.png', png]))).toMatchObject({ status: 401 });
    asToken(owner, ['read']);
    expect(await send(form(['a.png', png]))).toMatchObject({ status: 403 });
    asToken(owner, ['submit']);
    expect(await send(form(['a.png', png]))).toMatchObject({ status: 201 });
  });

  it('leaves nothing behind when the client goes away midway', async () => {
    asSession(owner);
    const cut = request(`${origin}/files/uploads`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 100_000 },
    });
    cut.on('error', () => {});
    cut.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf a file');
    await expect.poll(() => filesBelow('.tmp'), { timeout: 60_000 }).toHaveLength(1);
    cut.destroy();
    await expect.poll(() => filesBelow('.tmp'), { timeout: 60_000 }).toEqual([]);
    expect(await t.db.select().from(uploads)).toEqual([]);
    expect(await filesBelow('uploads')).toEqual([]);
  });
});

describe('faults of our own', () => {
  it('are told in one sentence, without details', async () => {
    const output = await createOutput();
    const blocked = join(dir, 'blocked');
    await writeFile(blocked, '');
    const deps = {
      db: t.db,
      storage: createAssetStore({ driver: 'fs', dir: blocked }),
      newId,
      logger: createLogger('silent'),
      config: { maxUploadBytes: MAX_UPLOAD_BYTES },
    };
    const resolvers = [
      async (): Promise<Identity> => ({ type: 'session', user: owner, sessionId: 's' }),
      () => Promise.reject(new AppError('unauthorized', 'This token was revoked.')),
      () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')),
    ];
    const answers: unknown[] = [];
    for (const resolveIdentity of resolvers) {
      const other = express()
        .use(createFilesRouter({ deps, resolveIdentity }), errorHandler(deps.logger))
        .listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const answer = await fetch(
        `http://127.0.0.1:${(other.address() as AddressInfo).port}/files/outputs/${output.id}`,
      );
      answers.push([answer.status, await messageOf(answer)]);
      other.closeAllConnections();
      await new Promise((resolve) => other.close(resolve));
    }
    expect(answers).toEqual([
      [503, 'The file storage does not answer. Try again in a minute.'],
      [401, 'This token was revoked.'],
      [500, expect.stringMatching(/^Something went wrong on our side\. Try again/)],
    ]);
  });
});
