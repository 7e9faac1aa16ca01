import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AssetStore } from '#server/storage/asset-store.ts';
import type { Lease } from '../event-queries.ts';

const ROOT = 'sidelane-films';

/**
 * A directory for one composition, removed after it. What an earlier holder left of the same film (its process was
 * killed) goes first.
 */
export async function withWorkDir<T>(
  { taskId, token }: Pick<Lease, 'taskId' | 'token'>,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const root = join(tmpdir(), ROOT);
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) {
    if (name.startsWith(`${taskId}-`)) await rm(join(root, name), { recursive: true, force: true });
  }
  const path = join(root, `${taskId}-${token}`);
  await mkdir(path);
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** Local paths of stored files, all of them at once, by key. */
export async function withLocalFiles<T>(
  store: AssetStore,
  keys: readonly string[],
  use: (paths: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const paths = new Map<string, string>();
  const next = (index: number): Promise<T> => {
    const key = keys[index];
    if (key === undefined) return use(paths);
    return store.withLocalFile(key, (path) => {
      paths.set(key, path);
      return next(index + 1);
    });
  };
  return next(0);
}
