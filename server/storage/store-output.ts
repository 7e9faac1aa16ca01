import { Readable } from 'node:stream';
import { type AssetStore, StorageError, type StoreOutput, type StoreOutputResult } from './asset-store.ts';
import { measureMedia } from './measure-media.ts';
import { type MediaTools, mediaTools } from './media-tools.ts';
import { NotAnArtefactError, nounOf, onlyMedia, onlyText } from './only-artefacts.ts';
import type { MediaKind } from './sniff.ts';

type Invalid = Extract<StoreOutputResult, { type: 'invalid' }>;
type Input = Parameters<StoreOutput>[1];

/**
 * Streams an artefact to storage and proves that it is one: not empty, below the cap, of the ordered kind by its own
 * bytes, readable; text is valid UTF-8. Bytes of the wrong kind are refused from their first kilobytes on and never
 * stored. Repeating a call with the same key replaces the file. A file that cannot be read is deleted, so two holders
 * that may run at once need different keys.
 */
export const storeOutput: StoreOutput = (store, input) => createStoreOutput(mediaTools())(store, input);

/** {@link storeOutput} with tools of the caller's choice. */
export function createStoreOutput(tools: MediaTools): StoreOutput {
  return async (store, input) => {
    try {
      if (input.announcedBytes !== undefined && input.announcedBytes > input.maxBytes)
        return invalid('too_large', `The file is larger than ${input.maxBytes} bytes.`);
      if (input.kind === 'text') return await storeText(store, input);
      return await storeMedia(tools, store, { ...input, kind: input.kind });
    } catch (error) {
      if (error instanceof NotAnArtefactError) return invalid(error.reason, error.message);
      if (error instanceof StorageError && error.reason === 'too_large')
        return invalid('too_large', error.message);
      throw error;
    } finally {
      closeSource(input.source);
    }
  };
}

async function storeText(store: AssetStore, input: Input): Promise<StoreOutputResult> {
  const { bytes, sha256 } = await put(store, input, onlyText(input.source));
  const output = { storageKey: input.key, mime: 'text/plain', bytes, sha256 };
  return { type: 'stored', output: { ...output, width: null, height: null, durationMs: null } };
}

async function storeMedia(
  tools: MediaTools,
  store: AssetStore,
  input: Input & { kind: MediaKind },
): Promise<StoreOutputResult> {
  const media = onlyMedia(input.source, input.kind);
  const { bytes, sha256 } = await put(store, input, media.source);
  const { kind, mime, extension } = media.sniffed();
  const measured = await store.withLocalFile(input.key, (path) =>
    measureMedia(tools, { path, kind, mime }, input.signal),
  );
  if (measured.type === 'unreadable') {
    await store.delete(input.key);
    const message = `Expected ${nounOf(kind)}, got a ${extension.toUpperCase()} file that cannot be read.`;
    return invalid('wrong_type', message);
  }
  return { type: 'stored', output: { storageKey: input.key, bytes, sha256, mime, ...measured.measures } };
}

function put(store: AssetStore, input: Input, source: AsyncIterable<Uint8Array>) {
  return store.put(input.key, source, { maxBytes: input.maxBytes, signal: input.signal });
}

function invalid(reason: Invalid['reason'], message: string): Invalid {
  return { type: 'invalid', reason, message };
}

/**
 * A store that fails before its first read leaves the source untouched, and with it an open connection. Not awaited: a
 * source that hangs must not hold us.
 */
function closeSource(source: AsyncIterable<Uint8Array>): void {
  if (source instanceof Readable) {
    source.destroy();
    return;
  }
  source[Symbol.asyncIterator]()
    .return?.()
    .catch(() => {});
}
