import { randomUUID } from 'node:crypto';
import {
  type FileHandle,
  mkdir,
  open as openFile,
  readdir,
  rename,
  rm,
  stat as statFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FSDriver } from 'flydrive/drivers/fs';
import { assertKey, assertPrefix } from './asset-key.ts';
import { type AssetStore, StorageError } from './asset-store.ts';
import { meterSource } from './meter-source.ts';

/** Unfinished files; a key cannot name it because segments never start with a dot. */
const TEMPORARY = '.tmp';

/** A temporary file this old belongs to a process that was killed: no transfer runs longer than half an hour. */
const STALE_TEMPORARY_MS = 24 * 3_600_000;

/**
 * Files below one directory. Flydrive does the plain operations; writing (durable, atomic) and ranged reading go to
 * `fs` directly because flydrive has neither.
 */
export function createDiskStore(directory: string): AssetStore {
  const root = resolve(directory);
  const driver = new FSDriver({ location: root, visibility: 'private' });
  const pathOf = (key: string) => {
    assertKey(key);
    return join(root, key);
  };

  const store: AssetStore = {
    async put(key, source, options) {
      const target = pathOf(key);
      const temporary = join(root, TEMPORARY, randomUUID());
      const handle = await ours(async () => {
        await mkdir(dirname(temporary), { recursive: true });
        return openFile(temporary, 'wx', 0o640);
      });
      try {
        const file = await meterSource(source, options, (chunk) => ours(() => writeAll(handle, chunk)));
        await ours(async () => {
          // A task is called succeeded after this, so the bytes have to survive a power cut as the row does.
          await handle.datasync();
          await handle.close();
          await mkdir(dirname(target), { recursive: true });
          await rename(temporary, target);
          await syncDirectory(dirname(target));
        });
        return file;
      } catch (error) {
        await handle.close().catch(() => {});
        await rm(temporary, { force: true }).catch(() => {});
        throw error;
      }
    },

    async open(key, range) {
      const path = pathOf(key);
      return ours(async () => {
        const handle = await openFile(path, 'r');
        try {
          const { size } = await handle.stat();
          const start = range?.start ?? 0;
          const end = Math.min(range?.end ?? size - 1, size - 1);
          if (range && start > end) throw new StorageError('io', 'The range is outside of the file.');
          // `end: -1` would be refused for an empty file; nothing is read past its end anyway.
          const stream = handle.createReadStream({ start, end: Math.max(end, 0), autoClose: true });
          return { stream, bytes: end - start + 1 };
        } catch (error) {
          await handle.close();
          throw error;
        }
      });
    },

    async stat(key) {
      assertKey(key);
      try {
        return { bytes: (await driver.getMetaData(key)).contentLength };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw ioError(error);
      }
    },

    async delete(key) {
      assertKey(key);
      await ours(() => driver.delete(key));
    },

    async deletePrefix(prefix) {
      assertPrefix(prefix);
      await ours(() => driver.deleteAll(prefix));
    },

    async listFolders(prefix, limit) {
      assertPrefix(prefix);
      try {
        const entries = await readdir(join(root, prefix), { withFileTypes: true });
        const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
        return names.sort().slice(0, limit);
      } catch (error) {
        if (isMissing(error)) return [];
        throw ioError(error);
      }
    },

    async withLocalFile(key, use) {
      const path = pathOf(key);
      await ours(() => statFile(path));
      return use(path);
    },

    async check() {
      const name = `check-${randomUUID()}`;
      try {
        await driver.put(name, 'writable');
        await driver.delete(name);
      } catch (error) {
        throw new StorageError(
          'io',
          `Storage directory ${root} is not writable: ${describeFault(error)}, set STORAGE_DIR or fix its permissions.`,
          error,
        );
      }
      await removeStaleFiles(join(root, TEMPORARY));
    },
  };
  return store;

  /** Runs one of our own file operations: its failure is a storage fault, never the source's. */
  async function ours<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StorageError) throw error;
      if (isMissing(error)) throw new StorageError('missing', 'The file is not in storage.', error);
      throw ioError(error);
    }
  }

  function ioError(error: unknown): StorageError {
    return new StorageError('io', `Storage directory ${root} failed: ${describeFault(error)}.`, error);
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, offset);
    offset += bytesWritten;
  }
}

/** Makes the rename durable. File systems that cannot sync a directory (some network mounts) are left as they are. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await openFile(path, 'r').catch(() => undefined);
  if (!handle) return;
  await handle.sync().catch(() => {});
  await handle.close();
}

/** Best effort: what a killed process left behind. */
async function removeStaleFiles(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    const path = join(directory, name);
    const info = await statFile(path).catch(() => undefined);
    if (info && Date.now() - info.mtimeMs > STALE_TEMPORARY_MS)
      await rm(path, { force: true }).catch(() => {});
  }
}

function codeOf(error: unknown): string {
  for (
    let current = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth += 1
  ) {
    const code = (current as NodeJS.ErrnoException).code;
    if (code !== undefined && /^E[A-Z]+$/.test(code)) return code;
  }
  return '';
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

const FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'a part of the path is a file, not a directory',
  ENOENT: 'it does not exist',
  EEXIST: 'there is a file of that name',
  EISDIR: 'there is a directory where a file should be',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

function describeFault(error: unknown): string {
  const code = codeOf(error);
  return FAULTS[code] ?? (code ? `error ${code}` : 'unknown error');
}
