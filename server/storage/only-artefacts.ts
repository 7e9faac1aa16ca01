import type { Kind } from '#server/generation/status.ts';
import type { StoreOutputResult } from './asset-store.ts';
import {
  createTextCheck,
  describeHead,
  type MediaKind,
  SNIFFED_BYTES,
  type Sniffed,
  sniffMedia,
} from './sniff.ts';

/** Raised inside a source, so that bytes which are no artefact never reach their place in storage. */
export class NotAnArtefactError extends Error {
  readonly reason: Extract<StoreOutputResult, { type: 'invalid' }>['reason'];
  constructor(reason: NotAnArtefactError['reason'], message: string) {
    super(message);
    this.name = 'NotAnArtefactError';
    this.reason = reason;
  }
}

type CheckedMedia = {
  /** Passes the bytes on once their start is known to be a medium of the ordered kind. */
  source: AsyncIterable<Uint8Array>;
  /** What the bytes are. Only after `source` was read. */
  sniffed(): Sniffed;
};

/** @throws NotAnArtefactError (from the source) before its first byte is passed on */
export function onlyMedia(source: AsyncIterable<Uint8Array>, kind: MediaKind): CheckedMedia {
  let sniffed: Sniffed | undefined;
  async function* checked(): AsyncGenerator<Uint8Array> {
    let held: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.byteLength;
      if (sniffed) {
        yield chunk;
        continue;
      }
      held.push(chunk);
      if (bytes < SNIFFED_BYTES) continue;
      sniffed = await mustBe(kind, Buffer.concat(held));
      yield* held;
      held = [];
    }
    if (bytes === 0) throw emptyFile();
    sniffed ??= await mustBe(kind, Buffer.concat(held));
    yield* held;
  }
  return {
    source: checked(),
    sniffed() {
      if (!sniffed) throw new Error('The type of a file was asked for before its bytes were read.');
      return sniffed;
    },
  };
}

/** Passes text on. @throws NotAnArtefactError at the first byte that is none, and for an empty text */
export async function* onlyText(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const check = createTextCheck();
  let isEmpty = true;
  for await (const chunk of source) {
    if (!check.push(chunk)) throw notText(chunk);
    isEmpty &&= chunk.byteLength === 0;
    yield chunk;
  }
  if (isEmpty) throw emptyFile();
  if (!check.end())
    throw new NotAnArtefactError('invalid_utf8', 'The text ends in the middle of a character.');
}

export function nounOf(kind: Kind): string {
  return { image: 'an image', video: 'a video', audio: 'audio', text: 'text' }[kind];
}

async function mustBe(kind: MediaKind, start: Uint8Array): Promise<Sniffed> {
  const head = start.subarray(0, SNIFFED_BYTES);
  const sniffed = await sniffMedia(head);
  if (sniffed?.kind === kind) return sniffed;
  const looksLike = sniffed ? sniffed.mime : await describeHead(head);
  throw new NotAnArtefactError('wrong_type', `Expected ${nounOf(kind)}, got ${looksLike}.`);
}

function emptyFile(): NotAnArtefactError {
  return new NotAnArtefactError('empty', 'The file is empty.');
}

function notText(chunk: Uint8Array): NotAnArtefactError {
  return chunk.includes(0)
    ? new NotAnArtefactError('wrong_type', 'Expected text, got binary data.')
    : new NotAnArtefactError('invalid_utf8', 'The text is not valid UTF-8.');
}
