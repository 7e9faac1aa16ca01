import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createLogger } from '#server/lib/logger.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { createAssetStore } from './create-asset-store.ts';
import { findUpload, getUploads, markUploadsUsed } from './queries.ts';
import { readDocument } from './read-document.ts';
import { WORD_MIME } from './sniff.ts';
import { makeImage } from './testing/media-fixtures.ts';
import { docxOf, paragraph, zipOf } from './testing/word-fixtures.ts';
import { removeUpload, storeUpload, toReferenceFile, type UploadDeps } from './uploads.ts';

let t: TestDatabase;
let dir: string;
let deps: UploadDeps;
let userId: string;

beforeAll(async () => {
  t = await createTestDatabase();
  dir = await mkdtemp(join(tmpdir(), 'sidelane-uploads-'));
  deps = {
    db: t.db,
    storage: createAssetStore({ driver: 'fs', dir }),
    newId,
    logger: createLogger('silent'),
    config: { maxUploadBytes: 100_000 },
  };
  userId = (await createUser(t.db)).id;
});

afterAll(async () => {
  await t.close();
  await rm(dir, { recursive: true, force: true });
});

const upload = (content: Buffer | string, owner = userId, fileName = 'a.txt') =>
  storeUpload(deps, { userId: owner, fileName, source: Readable.from([Buffer.from(content)]) });

describe('getUploads', () => {
  it('gives the own ones in the order that was asked for, and none of others', async () => {
    const [first, second] = [await upload('one'), await upload('two')];
    const foreign = await upload('three', (await createUser(t.db)).id);
    const found = await getUploads(t.db, userId, [second.id, foreign.id, newId(), first.id]);
    expect(found.map((row) => row.id)).toEqual([second.id, first.id]);
    expect(await getUploads(t.db, userId, [])).toEqual([]);
  });
});

describe('toReferenceFile', () => {
  it('reads the bytes as they were uploaded', async () => {
    const png = await makeImage('png');
    const row = await upload(png);
    const file = toReferenceFile(deps.storage, row, 'reference');
    expect(file).toMatchObject({ id: row.id, fileName: 'a.txt', mime: 'image/png', bytes: png.byteLength });
    expect(Buffer.from(await file.read()).equals(png)).toBe(true);
  });

  it('tells a missing file from a short one', async () => {
    const row = await upload('text');
    await deps.storage.delete(row.storageKey);
    await expect(toReferenceFile(deps.storage, row, 'reference').read()).rejects.toMatchObject({
      reason: 'missing',
    });
  });
});

describe('storeUpload', () => {
  it('takes text that only looks like a binary format', async () => {
    expect((await upload('BMW is a brand')).mime).toBe('text/plain');
  });

  it('takes a Word document whose text can be read, and no other zip', async () => {
    const story = await upload(await docxOf(paragraph('Fog.')), userId, 'story.docx');
    expect(story).toMatchObject({ fileName: 'story.docx', mime: WORD_MIME });
    const file = toReferenceFile(deps.storage, story, 'reference');
    expect(await readDocument(await file.read(), story.fileName)).toEqual({ text: 'Fog.' });
    const zip = await zipOf({ 'notes.txt': 'no story' });
    await expect(upload(zip, userId, 'story.docx')).rejects.toMatchObject({ code: 'bad_request' });
    await expect(upload(zip, userId, 'notes.zip')).rejects.toMatchObject({ code: 'unprocessable' });
  });

  it('removes the file again when the row cannot be written', async () => {
    const stranger = newId();
    await expect(upload('text', stranger)).rejects.toThrow();
    expect(await readdir(join(dir, 'uploads', stranger))).toEqual([]);
  });
});

describe('removeUpload', () => {
  it('removes file and row, but never what a task uses', async () => {
    const [unused, used] = [await upload('one'), await upload('two')];
    await markUploadsUsed(t.db, [used.id]);
    for (const row of [unused, used]) await removeUpload(deps, row);
    expect(await findUpload(t.db, unused.id)).toBeUndefined();
    expect(await deps.storage.stat(unused.storageKey)).toBeUndefined();
    expect((await findUpload(t.db, used.id))?.usedAt).toBeInstanceOf(Date);
    expect(await deps.storage.stat(used.storageKey)).toEqual({ bytes: 3 });
  });
});
