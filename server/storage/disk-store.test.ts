import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AssetStore, StorageError } from './asset-store.ts';
import { createAssetStore } from './create-asset-store.ts';

const MEGABYTE = 1_048_576;

let dir: string;
let store: AssetStore;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidelane-disk-'));
  store = createAssetStore({ driver: 'fs', dir });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function* from(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Every file below the store, temporary ones included. */
async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
}

async function readAll(key: string, range?: { start: number; end: number }) {
  const { stream, bytes } = await store.open(key, range);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { content: Buffer.concat(chunks), bytes };
}

describe('put', () => {
  it('stores the bytes with their count, SHA-256 and head', async () => {
    const content = randomBytes(10_000);
    const file = await store.put(
      'a/b/c',
      from(content.subarray(0, 3), content.subarray(3, 9_000), content.subarray(9_000)),
      {
        maxBytes: 10_000,
      },
    );
    expect(file).toMatchObject({ bytes: 10_000, sha256: createHash('sha256').update(content).digest('hex') });
    expect(Buffer.from(file.head).equals(content.subarray(0, 4_100))).toBe(true);
    expect((await readFile(join(dir, 'a/b/c'))).equals(content)).toBe(true);
    expect(await filesOnDisk()).toEqual(['a/b/c']);
  });

  it('replaces a file of the same key', async () => {
    await store.put('k', from(Buffer.from('first, longer')), { maxBytes: 100 });
    await store.put('k', from(Buffer.from('second')), { maxBytes: 100 });
    expect((await readAll('k')).content.toString()).toBe('second');
  });

  it('stops an endless source at the cap, with flat memory, closing it and leaving no file', async () => {
    let produced = 0;
    let closed = false;
    async function* endless() {
      try {
        for (;;) {
          produced += MEGABYTE;
          yield new Uint8Array(MEGABYTE);
        }
      } finally {
        closed = true;
      }
    }
    const before = process.memoryUsage().arrayBuffers;
    let peak = before;
    const sampled = (async function* () {
      for await (const chunk of endless()) {
        if (produced % (50 * MEGABYTE) === 0) globalThis.gc?.();
        peak = Math.max(peak, process.memoryUsage().arrayBuffers);
        yield chunk;
      }
    })();
    const maxBytes = 300 * MEGABYTE;
    const signal = new AbortController().signal;
    await expect(store.put('k', sampled, { maxBytes, signal })).rejects.toMatchObject({
      reason: 'too_large',
    });
    expect(produced).toBe(maxBytes + MEGABYTE);
    await expect.poll(() => closed).toBe(true);
    expect(peak - before).toBeLessThan(150 * MEGABYTE);
    expect(await filesOnDisk()).toEqual([]);
  });

  it('accepts a file of exactly the cap', async () => {
    await expect(store.put('k', from(new Uint8Array(10)), { maxBytes: 10 })).resolves.toMatchObject({
      bytes: 10,
    });
    await expect(store.put('k', from(new Uint8Array(11)), { maxBytes: 10 })).rejects.toBeInstanceOf(
      StorageError,
    );
  });

  it('passes an error of the source through unchanged, keeping the file that was there', async () => {
    await store.put('k', from(Buffer.from('good')), { maxBytes: 100 });
    const broken = new Error('the connection broke');
    async function* source() {
      yield Buffer.from('half');
      throw broken;
    }
    await expect(store.put('k', source(), { maxBytes: 100 })).rejects.toBe(broken);
    expect((await readAll('k')).content.toString()).toBe('good');
    expect(await filesOnDisk()).toEqual(['k']);
  });

  it('ends a source that hangs when the signal says so, with the reason of the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('lease lost');
    async function* slow() {
      yield Buffer.from('x');
      controller.abort(reason);
      await new Promise(() => {});
    }
    await expect(store.put('k', slow(), { maxBytes: 100, signal: controller.signal })).rejects.toBe(reason);
    expect(await filesOnDisk()).toEqual([]);
  });

  it('reports its own faults as StorageError that name the directory', async () => {
    await writeFile(join(dir, 'file'), '');
    const error = await store
      .put('file/below', from(Buffer.from('x')), { maxBytes: 100 })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({ reason: 'io', message: expect.stringContaining(dir) });
    expect(await filesOnDisk()).toEqual(['file']);
  });
});

describe('open', () => {
  it('reads the whole file and inclusive ranges', async () => {
    await store.put('k', from(Buffer.from('0123456789')), { maxBytes: 100 });
    expect(await readAll('k')).toEqual({ content: Buffer.from('0123456789'), bytes: 10 });
    expect(await readAll('k', { start: 2, end: 4 })).toEqual({ content: Buffer.from('234'), bytes: 3 });
    expect(await readAll('k', { start: 9, end: 99 })).toEqual({ content: Buffer.from('9'), bytes: 1 });
    await expect(store.open('k', { start: 10, end: 12 })).rejects.toMatchObject({ reason: 'io' });
  });

  it('says that a file is missing', async () => {
    await expect(store.open('none')).rejects.toMatchObject({ name: 'StorageError', reason: 'missing' });
    await expect(store.withLocalFile('none', async () => 1)).rejects.toMatchObject({ reason: 'missing' });
    await expect(store.stat('none')).resolves.toBeUndefined();
  });

  it('reads an empty file', async () => {
    await store.put('k', from(), { maxBytes: 100 });
    expect(await readAll('k')).toEqual({ content: Buffer.alloc(0), bytes: 0 });
  });
});

describe('keys', () => {
  it.each([
    '../x',
    'a/../../x',
    '/etc/passwd',
    'a//b',
    'a/',
    '',
    '.tmp/x',
    'a/.hidden',
    'a\\b',
    'a\0b',
    'x'.repeat(501),
  ])('refuses %j', async (key) => {
    await expect(store.put(key, from(Buffer.from('x')), { maxBytes: 9 })).rejects.toBeInstanceOf(
      StorageError,
    );
    await expect(store.open(key)).rejects.toBeInstanceOf(StorageError);
    await expect(store.stat(key)).rejects.toBeInstanceOf(StorageError);
    await expect(store.delete(key)).rejects.toBeInstanceOf(StorageError);
    await expect(store.withLocalFile(key, async () => 1)).rejects.toBeInstanceOf(StorageError);
  });

  it.each(['', '/', 'a', '../', './'])('refuses the prefix %j', async (prefix) => {
    await expect(store.deletePrefix(prefix)).rejects.toBeInstanceOf(StorageError);
  });
});

describe('delete', () => {
  it('removes one file, and does nothing when it is gone', async () => {
    await store.put('k', from(Buffer.from('x')), { maxBytes: 9 });
    await store.delete('k');
    await store.delete('k');
    expect(await store.stat('k')).toBeUndefined();
  });

  it('removes everything below a prefix and nothing beside it', async () => {
    for (const key of ['t/1/a', 't/1/b/c', 't/10/a'])
      await store.put(key, from(Buffer.from('x')), { maxBytes: 9 });
    await store.deletePrefix('t/1/');
    await store.deletePrefix('t/1/');
    expect(await filesOnDisk()).toEqual(['t/10/a']);
  });
});

describe('check', () => {
  it('creates the directory and leaves nothing behind', async () => {
    const fresh = createAssetStore({ driver: 'fs', dir: join(dir, 'deep/er') });
    await fresh.check();
    expect(await filesOnDisk()).toEqual([]);
  });

  it('names the directory and the fix when it is not writable', async () => {
    await writeFile(join(dir, 'file'), '');
    const below = join(dir, 'file', 'files');
    await expect(createAssetStore({ driver: 'fs', dir: below }).check()).rejects.toThrow(
      `Storage directory ${below} is not writable: a part of the path is a file, not a directory, set STORAGE_DIR or fix its permissions.`,
    );
  });

  it('removes what a killed process left half written, not what is being written', async () => {
    await mkdir(join(dir, '.tmp'));
    for (const name of ['old', 'new']) await writeFile(join(dir, '.tmp', name), 'x');
    const longAgo = new Date(Date.now() - 48 * 3_600_000);
    await utimes(join(dir, '.tmp/old'), longAgo, longAgo);
    await store.check();
    expect(await filesOnDisk()).toEqual(['.tmp/new']);
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
