import { StorageError } from './asset-store.ts';

/** Segments never start with a dot, so `..`, `.tmp` and hidden files cannot be named by a key. */
const KEY = /^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/;

const MAX_KEY_LENGTH = 500;

/** Refuses keys that are absolute, climb out of the store or need escaping anywhere. @throws StorageError `io` */
export function assertKey(key: string): void {
  if (key.length > MAX_KEY_LENGTH || !KEY.test(key))
    throw new StorageError('io', 'This is not a storage key.');
}

/** A prefix is a key followed by one slash, so that `a/1/` never covers `a/10/…`. @throws StorageError `io` */
export function assertPrefix(prefix: string): void {
  if (!prefix.endsWith('/')) throw new StorageError('io', 'A storage prefix ends in a slash.');
  assertKey(prefix.slice(0, -1));
}
