import type { Logger } from '#server/lib/logger.ts';
import { type AssetStore, StorageError } from '#server/storage/asset-store.ts';
import type { ArtefactRef } from './provider.ts';

const PIECE_BYTES = 1_048_576;
const PAUSES_MS = [0, 250, 1_000, 4_000] as const;

/** Where bytes wait that came inside an answer. */
function incomingKey(dispatchId: string, ordinal: number): string {
  return `incoming/${dispatchId}/${ordinal}`;
}

/**
 * Stores bytes that upstream made and will not give a second time, so a passing storage fault is waited out. The
 * caller's cancellation does not stop it: an answer is evidence whatever became of the lease.
 *
 * @throws StorageError after four tries, or at once when the file is too large
 */
export async function keepBytes(
  input: { storage: AssetStore; logger: Logger; maxBytes: number },
  dispatchId: string,
  ordinal: number,
  bytes: Uint8Array | Iterable<Uint8Array>,
): Promise<Extract<ArtefactRef, { type: 'stored' }>> {
  const storageKey = incomingKey(dispatchId, ordinal);
  let last: unknown;
  for (const pause of PAUSES_MS) {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      await input.storage.put(storageKey, pieces(bytes), { maxBytes: input.maxBytes });
      return { type: 'stored', storageKey };
    } catch (error) {
      last = error;
      if (error instanceof StorageError && error.reason === 'too_large') break;
      input.logger.warn(
        { dispatchId, ordinal, error: String(error) },
        'Storing a result failed; trying again',
      );
    }
  }
  throw last;
}

async function* pieces(bytes: Uint8Array | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (!(bytes instanceof Uint8Array)) {
    yield* bytes;
    return;
  }
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES)
    yield bytes.subarray(start, start + PIECE_BYTES);
}
