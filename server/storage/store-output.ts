import type { Kind } from '#server/generation/status.ts';
import { type AssetStore, StorageError, type StoreOutput, type StoreOutputResult } from './asset-store.ts';
import { measureMedia } from './measure-media.ts';
import { type MediaTools, mediaTools } from './media-tools.ts';
import { createTextCheck, describeHead, sniffMedia } from './sniff.ts';

type Invalid = Extract<StoreOutputResult, { type: 'invalid' }>;

/**
 * Streams an artefact to storage and proves that it is one: not empty, below the cap, of the ordered kind by its own
 * bytes, readable; text is valid UTF-8. Repeating a call with the same key replaces the file. An invalid file is
 * deleted, so two holders that may run at once need different keys.
 */
export const storeOutput: StoreOutput = (store, input) => createStoreOutput(mediaTools())(store, input);

/** {@link storeOutput} with tools of the caller's choice. */
export function createStoreOutput(tools: MediaTools): StoreOutput {
  return async (store, input) => {
    const isText = input.kind === 'text';
    const put = await putFile(store, { ...input, source: isText ? onlyText(input.source) : input.source });
    if (put.type === 'invalid') return put;
    const { bytes, sha256, head } = put.file;
    const base = { storageKey: input.key, bytes, sha256 };
    if (bytes === 0) return refuse(store, input.key, invalid('empty', 'The file is empty.'));
    if (isText) {
      return {
        type: 'stored',
        output: { ...base, mime: 'text/plain', width: null, height: null, durationMs: null },
      };
    }

    const sniffed = await sniffMedia(head);
    if (sniffed?.kind !== input.kind) {
      const looksLike = sniffed ? `${sniffed.mime}` : await describeHead(head);
      return refuse(
        store,
        input.key,
        invalid('wrong_type', `Expected ${nounOf(input.kind)}, got ${looksLike}.`),
      );
    }
    const measured = await store.withLocalFile(input.key, (path) =>
      measureMedia(tools, { path, kind: sniffed.kind, mime: sniffed.mime }, input.signal),
    );
    if (measured.type === 'unreadable') {
      const message = `Expected ${nounOf(input.kind)}, got a ${sniffed.extension.toUpperCase()} file that cannot be read.`;
      return refuse(store, input.key, invalid('wrong_type', message));
    }
    return { type: 'stored', output: { ...base, mime: sniffed.mime, ...measured.measures } };
  };
}

/** Raised inside the source, so that bytes which are not text are never stored. */
class NotTextError extends Error {
  readonly reason: Invalid['reason'];
  constructor(reason: Invalid['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

async function* onlyText(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const check = createTextCheck();
  for await (const chunk of source) {
    if (!check.push(chunk)) throw notText(chunk);
    yield chunk;
  }
  if (!check.end()) throw new NotTextError('invalid_utf8', 'The text ends in the middle of a character.');
}

function notText(chunk: Uint8Array): NotTextError {
  return chunk.includes(0)
    ? new NotTextError('wrong_type', 'Expected text, got binary data.')
    : new NotTextError('invalid_utf8', 'The text is not valid UTF-8.');
}

async function putFile(store: AssetStore, input: Parameters<StoreOutput>[1]) {
  try {
    const file = await store.put(input.key, input.source, { maxBytes: input.maxBytes, signal: input.signal });
    return { type: 'put' as const, file };
  } catch (error) {
    if (error instanceof NotTextError) return invalid(error.reason, error.message);
    if (error instanceof StorageError && error.reason === 'too_large')
      return invalid('too_large', error.message);
    throw error;
  }
}

function invalid(reason: Invalid['reason'], message: string): Invalid {
  return { type: 'invalid', reason, message };
}

async function refuse(store: AssetStore, key: string, result: Invalid): Promise<Invalid> {
  await store.delete(key);
  return result;
}

function nounOf(kind: Kind): string {
  return { image: 'an image', video: 'a video', audio: 'audio', text: 'text' }[kind];
}
