import type { AssetStore } from './asset-store.ts';
import { createDiskStore } from './disk-store.ts';
import { createS3Store, type S3Options } from './s3-store.ts';

export type AssetStoreOptions = { driver: 'fs'; dir: string } | ({ driver: 's3' } & S3Options);

/** Opens the configured store. Touches nothing yet: call `check()` at the start of the process. */
export function createAssetStore(options: AssetStoreOptions): AssetStore {
  return options.driver === 'fs' ? createDiskStore(options.dir) : createS3Store(options);
}
