import type { Deps } from '#server/deps.ts';
import { StorageError } from '#server/storage/asset-store.ts';

/**
 * Reads a stored text, or as much of it as `mostBytes`; half a character at the cut is left out.
 *
 * @returns null for a file that is not in storage any more, which no further try brings back
 * @throws StorageError for other faults of our own storage
 */
export async function readText(
  deps: Pick<Deps, 'storage'>,
  file: { storageKey: string; bytes: number },
  mostBytes: number,
): Promise<string | null> {
  const range = file.bytes > mostBytes ? { start: 0, end: mostBytes - 1 } : undefined;
  const chunks: Uint8Array[] = [];
  try {
    const { stream } = await deps.storage.open(file.storageKey, range);
    for await (const chunk of stream) chunks.push(chunk as Uint8Array);
  } catch (error) {
    if (error instanceof StorageError && error.reason === 'missing') return null;
    throw error;
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  return range ? text.replace(/\uFFFD+$/, '') : text;
}
