import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type AssetStore, StorageError } from '#server/storage/asset-store.ts';

export type MemoryStore = AssetStore & {
  files: Map<string, Uint8Array>;
  /** The next `count` puts fail as a full disk would. */
  failPuts(count: number): void;
};

/** An asset store in memory, for tests of what comes before storage. */
export function createMemoryStore(): MemoryStore {
  const files = new Map<string, Uint8Array>();
  let failures = 0;
  const read = (key: string) => {
    const bytes = files.get(key);
    if (!bytes) throw new StorageError('missing', `There is no file ${key}.`);
    return bytes;
  };
  return {
    files,
    failPuts(count) {
      failures = count;
    },
    async put(key, source, { maxBytes }) {
      if (failures > 0) {
        failures -= 1;
        throw new StorageError('io', 'The disk is full.');
      }
      const parts: Uint8Array[] = [];
      let bytes = 0;
      for await (const part of source) {
        bytes += part.byteLength;
        if (bytes > maxBytes) throw new StorageError('too_large', 'The file is too large.');
        parts.push(part);
      }
      const body = Buffer.concat(parts);
      files.set(key, body);
      const sha256 = createHash('sha256').update(body).digest('hex');
      return { bytes, sha256, head: body.subarray(0, 4_100) };
    },
    async open(key, range) {
      const bytes = read(key);
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
      return { stream: Readable.from([part]), bytes: part.byteLength };
    },
    async stat(key) {
      const bytes = files.get(key);
      return bytes && { bytes: bytes.byteLength };
    },
    async delete(key) {
      files.delete(key);
    },
    async deletePrefix(prefix) {
      for (const key of files.keys()) if (key.startsWith(prefix)) files.delete(key);
    },
    async listFolders(prefix, limit) {
      const below = [...files.keys()].filter((key) => key.startsWith(prefix));
      const names = below.flatMap((key) => /^([^/]+)\//.exec(key.slice(prefix.length))?.[1] ?? []);
      return [...new Set(names)].sort().slice(0, limit);
    },
    async withLocalFile() {
      throw new Error('The memory store has no local files.');
    },
    async check() {},
  };
}
