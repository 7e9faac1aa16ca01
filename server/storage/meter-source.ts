import { createHash } from 'node:crypto';
import { type PutOptions, StorageError, type StoredFile } from './asset-store.ts';
import { SNIFFED_BYTES } from './sniff.ts';

/**
 * Reads `source` to its end and hands each chunk to `write`, one at a time (so memory stays flat), while counting,
 * hashing and enforcing the cap. Errors of the source and the signal's reason pass through unchanged; a source that is
 * left early is closed.
 *
 * @throws StorageError `too_large` as soon as the cap is passed, before the chunk is written
 */
export async function meterSource(
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<StoredFile> {
  const hash = createHash('sha256');
  const head = new Uint8Array(SNIFFED_BYTES);
  let bytes = 0;
  const iterator = source[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await nextChunk(iterator, options.signal);
      if (next.done) {
        ended = true;
        break;
      }
      const chunk = next.value;
      if (chunk.byteLength === 0) continue;
      if (bytes + chunk.byteLength > options.maxBytes) {
        throw new StorageError('too_large', `The file is larger than ${options.maxBytes} bytes.`);
      }
      if (bytes < SNIFFED_BYTES) head.set(chunk.subarray(0, SNIFFED_BYTES - bytes), bytes);
      bytes += chunk.byteLength;
      hash.update(chunk);
      await write(chunk);
    }
  } finally {
    // Not awaited: a generator that hangs in its own await would keep us here for ever.
    if (!ended) void closeQuietly(iterator);
  }
  return { bytes, sha256: hash.digest('hex'), head: head.subarray(0, Math.min(bytes, SNIFFED_BYTES)) };
}

/**
 * One listener per chunk, removed again. Racing against one long-lived promise instead would keep every chunk alive
 * until that promise settles.
 */
function nextChunk(
  iterator: AsyncIterator<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Uint8Array>> {
  if (!signal) return iterator.next();
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

async function closeQuietly(iterator: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The source is abandoned; what it says about that changes nothing.
  }
}
