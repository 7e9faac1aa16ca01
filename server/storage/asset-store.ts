import type { Readable } from 'node:stream';
import type { Kind } from '#server/generation/status.ts';

/** Where files live: local disk by default, S3-compatible by configuration. Keys are relative, `/`-separated. */
export type AssetStore = {
  /**
   * Streams `source` to `key` (temporary name, then rename), counting bytes and SHA-256 on the way; memory stays flat.
   * Errors of the source pass through unchanged; the store's own faults are {@link StorageError}.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredFile>;
  /** Opens a stored file, or the inclusive byte range of it. @throws StorageError `missing` */
  open(key: string, range?: { start: number; end: number }): Promise<{ stream: Readable; bytes: number }>;
  stat(key: string): Promise<{ bytes: number } | undefined>;
  delete(key: string): Promise<void>;
  /** Deletes every file below a prefix that ends in `/`. */
  deletePrefix(prefix: string): Promise<void>;
  /** Names of the folders directly below a prefix that ends in `/`, in ascending order, at most `limit` (1,000). */
  listFolders(prefix: string, limit: number): Promise<string[]>;
  /** Gives a path on the local disk (downloading to a temporary file first when the store is remote). */
  withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T>;
  /** Writes and removes a small file. @throws StorageError with a message that names the fix */
  check(): Promise<void>;
};

export type PutOptions = { maxBytes: number; signal?: AbortSignal };

/** `head` holds the first bytes (at most 4,100), for sniffing. */
export type StoredFile = { bytes: number; sha256: string; head: Uint8Array };

export class StorageError extends Error {
  readonly reason: 'missing' | 'too_large' | 'io';
  constructor(reason: StorageError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StorageError';
    this.reason = reason;
  }
}

/** An output that is in storage and proven to be what it should be. */
export type StoredOutput = {
  storageKey: string;
  mime: string;
  bytes: number;
  sha256: string;
  width: number | null;
  height: number | null;
  durationMs: number | null;
};

export type StoreOutputResult =
  | { type: 'stored'; output: StoredOutput }
  /** The bytes are not an artefact of this kind; the file was removed again. */
  | { type: 'invalid'; reason: 'empty' | 'wrong_type' | 'too_large' | 'invalid_utf8'; message: string };

/**
 * Signature of `store-output.ts`: stream, sniff, measure. Source errors pass through; own faults are StorageError. The
 * source is closed in every case, also when it was never read.
 */
export type StoreOutput = (
  store: AssetStore,
  input: {
    key: string;
    kind: Kind;
    source: AsyncIterable<Uint8Array>;
    maxBytes: number;
    /** Length that the sender announced: above the cap, nothing is read. Never believed otherwise. */
    announcedBytes?: number;
    signal?: AbortSignal;
  },
) => Promise<StoreOutputResult>;
