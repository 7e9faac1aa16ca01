import { createHash, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AssetStore, StorageError } from './asset-store.ts';
import { createAssetStore } from './create-asset-store.ts';
import { type FakeS3, startFakeS3 } from './testing/fake-s3.ts';

const MEGABYTE = 1_048_576;

let s3: FakeS3;
let store: AssetStore;

beforeEach(async () => {
  s3 = await startFakeS3('lane');
  store = createAssetStore({
    driver: 's3',
    bucket: 'lane',
    region: 'us-east-1',
    endpoint: s3.endpoint,
    accessKeyId: 'test',
    secretAccessKey: 'test-secret',
    forcePathStyle: true,
  });
});
afterEach(() => s3.close());

async function* from(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function readAll(key: string, range?: { start: number; end: number }) {
  const { stream, bytes } = await store.open(key, range);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { content: Buffer.concat(chunks), bytes };
}

describe('put', () => {
  it('sends a small file as one object', async () => {
    const file = await store.put('a/b', from(Buffer.from('hel'), Buffer.from('lo')), { maxBytes: 100 });
    expect(file).toMatchObject({ bytes: 5, sha256: createHash('sha256').update('hello').digest('hex') });
    expect(s3.objects.get('a/b')?.toString()).toBe('hello');
    expect(s3.requests).toHaveLength(1);
  });

  it('streams a large file in parts, in order', async () => {
    const content = randomBytes(20 * MEGABYTE);
    const chunks = Array.from({ length: 40 }, (_, i) =>
      content.subarray((i * MEGABYTE) / 2, ((i + 1) * MEGABYTE) / 2),
    );
    const file = await store.put('big', from(...chunks), { maxBytes: 50 * MEGABYTE });
    expect(file).toMatchObject({
      bytes: content.byteLength,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    expect(s3.objects.get('big')?.equals(content)).toBe(true);
    expect(s3.requests.filter((line) => line.includes('partNumber'))).toHaveLength(3);
    expect(s3.openUploads.size).toBe(0);
  });

  it('sends no empty last part when the size is a multiple of the part size', async () => {
    await store.put('even', from(new Uint8Array(16 * MEGABYTE)), { maxBytes: 50 * MEGABYTE });
    expect(s3.objects.get('even')?.byteLength).toBe(16 * MEGABYTE);
    expect(s3.requests.filter((line) => line.includes('partNumber'))).toHaveLength(2);
  });

  it('aborts the upload at the cap, and when the source breaks or the signal says so', async () => {
    const part = new Uint8Array(9 * MEGABYTE);
    const broken = new Error('the connection broke');
    async function* breaking() {
      yield part;
      throw broken;
    }
    const controller = new AbortController();
    const reason = new Error('lease lost');
    async function* hanging() {
      yield part;
      controller.abort(reason);
      await new Promise(() => {});
    }
    await expect(store.put('k', from(part, part), { maxBytes: 10 * MEGABYTE })).rejects.toMatchObject({
      reason: 'too_large',
    });
    await expect(store.put('k', breaking(), { maxBytes: 99 * MEGABYTE })).rejects.toBe(broken);
    await expect(
      store.put('k', hanging(), { maxBytes: 99 * MEGABYTE, signal: controller.signal }),
    ).rejects.toBe(reason);
    expect(s3.requests.filter((line) => line.startsWith('POST k?uploads'))).toHaveLength(3);
    expect(s3.openUploads.size).toBe(0);
    expect(s3.objects.size).toBe(0);
  });

  it('reports a refusal as StorageError without the texts of the service', async () => {
    s3.failNext(/^PUT k/, 403, 'AccessDenied');
    const error = await store.put('k', from(Buffer.from('x')), { maxBytes: 100 }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({ reason: 'io', message: 'Storage bucket lane failed: AccessDenied.' });
  });
});

describe('reading and deleting', () => {
  beforeEach(() => {
    s3.objects.set('t/1/a', Buffer.from('0123456789'));
    s3.objects.set('t/1/b', Buffer.from('x'));
    s3.objects.set('t/10/a', Buffer.from('x'));
  });

  it('opens whole files and inclusive ranges', async () => {
    expect(await readAll('t/1/a')).toEqual({ content: Buffer.from('0123456789'), bytes: 10 });
    expect(await readAll('t/1/a', { start: 2, end: 4 })).toEqual({ content: Buffer.from('234'), bytes: 3 });
  });

  it('tells a missing file from a fault', async () => {
    await expect(store.open('none')).rejects.toMatchObject({ reason: 'missing' });
    await expect(store.stat('none')).resolves.toBeUndefined();
    await expect(store.stat('t/1/a')).resolves.toEqual({ bytes: 10 });
    s3.failNext(/^GET t/, 403, 'AccessDenied');
    await expect(store.open('t/1/a')).rejects.toMatchObject({ reason: 'io' });
  });

  it('lends a temporary local copy and removes it', async () => {
    let lent = '';
    const text = await store.withLocalFile('t/1/a', async (path) => {
      lent = path;
      return readFile(path, 'utf8');
    });
    expect(text).toBe('0123456789');
    await expect(stat(lent)).rejects.toThrow('ENOENT');
    const failure = new Error('not readable');
    await expect(store.withLocalFile('t/1/a', () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it('deletes one file, and everything below a prefix but nothing beside it', async () => {
    await store.delete('t/1/b');
    expect([...s3.objects.keys()]).toEqual(['t/1/a', 't/10/a']);
    await store.deletePrefix('t/1/');
    expect([...s3.objects.keys()]).toEqual(['t/10/a']);
  });

  it('refuses keys that are not keys', async () => {
    await expect(store.open('../x')).rejects.toBeInstanceOf(StorageError);
    await expect(store.deletePrefix('t/1')).rejects.toBeInstanceOf(StorageError);
  });
});

describe('check', () => {
  it('writes and removes a small object', async () => {
    await store.check();
    expect(s3.requests.map((line) => line.split(' ')[0])).toEqual(['PUT', 'DELETE']);
    expect(s3.objects.size).toBe(0);
  });

  it('names the bucket and the variables to look at', async () => {
    s3.failNext(/^PUT check/, 403, 'AccessDenied');
    await expect(store.check()).rejects.toThrow(
      "Storage bucket lane is not writable: AccessDenied, check the STORAGE_S3_* variables and the bucket's policy.",
    );
  });
});

describe('listFolders', () => {
  it('names what is directly below a prefix, in order and at most so many', async () => {
    for (const key of ['in/b/1', 'in/a/1', 'in/a/2', 'in/c/d/1', 'in/file', 'into/x/1'])
      await store.put(key, from(Buffer.from('x')), { maxBytes: 9 });
    expect(await store.listFolders('in/', 10)).toEqual(['a', 'b', 'c']);
    expect(await store.listFolders('in/', 2)).toEqual(['a', 'b']);
    expect(await store.listFolders('nothing/', 10)).toEqual([]);
    await expect(store.listFolders('in', 10)).rejects.toBeInstanceOf(StorageError);
  });
});
