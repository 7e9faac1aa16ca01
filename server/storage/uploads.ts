import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { type AssetStore, StorageError } from './asset-store.ts';
import { sanitiseFileName } from './file-name.ts';
import { measureMedia } from './measure-media.ts';
import { type MediaTools, mediaTools } from './media-tools.ts';
import { deleteUnusedUpload, insertUpload, type Upload } from './queries.ts';
import { readDocument } from './read-document.ts';
import { createTextCheck, describeHead, extensionOf, sniffMedia, WORD_MIME } from './sniff.ts';

export type UploadDeps = Pick<Deps, 'db' | 'storage' | 'newId' | 'logger'> & {
  config: Pick<Deps['config'], 'maxUploadBytes'>;
};

type UploadInput = {
  userId: string;
  /** As the browser sent it; cleaned before it is kept. */
  fileName: string;
  source: AsyncIterable<Uint8Array>;
  signal?: AbortSignal;
};

/**
 * Stores a reference file and its row. The type is what the bytes are, whatever the name says; only images, audio,
 * video, text and Word documents that can be read are kept. The row is written last, so a row always has its file.
 *
 * @throws AppError `payload_too_large` above MAX_UPLOAD_BYTES, `unprocessable` for an empty or unsuitable file,
 * `bad_request` for a Word document without readable text
 */
export async function storeUpload(
  deps: UploadDeps,
  input: UploadInput,
  tools: MediaTools = mediaTools(),
): Promise<Upload> {
  const id = deps.newId();
  const storageKey = `uploads/${input.userId}/${id}`;
  const text = createTextCheck();
  const file = await putUpload(deps, { ...input, storageKey, source: observed(input.source, text.push) });
  try {
    const found = { storageKey, fileName: input.fileName, ...file, isText: text.end() };
    const mime = await typeOf(deps.storage, found, tools);
    return await insertUpload(deps.db, {
      id,
      userId: input.userId,
      storageKey,
      fileName: sanitiseFileName(input.fileName, extensionOf(mime)),
      mime,
      bytes: file.bytes,
      sha256: file.sha256,
    });
  } catch (error) {
    await deps.storage.delete(storageKey).catch(() => {
      deps.logger.warn({ storageKey }, 'A refused upload could not be removed from storage');
    });
    throw error;
  }
}

/** Removes an upload that no task uses yet, file and row. */
export async function removeUpload(deps: Pick<UploadDeps, 'db' | 'storage'>, upload: Upload): Promise<void> {
  if (await deleteUnusedUpload(deps.db, upload.id)) await deps.storage.delete(upload.storageKey);
}

/** An upload as an upstream call needs it; its bytes are read when asked for. */
export function toReferenceFile<R extends string>(store: AssetStore, upload: Upload, role: R) {
  const { id, fileName, mime, bytes } = upload;
  return { id, role, fileName, mime, bytes, read: () => readUpload(store, upload) };
}

/** All bytes of an upload. They fit into memory: MAX_UPLOAD_BYTES bounds them. @throws StorageError */
async function readUpload(store: AssetStore, upload: Pick<Upload, 'storageKey'>): Promise<Uint8Array> {
  const { stream } = await store.open(upload.storageKey);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    throw new StorageError('io', 'A reference file could not be read from storage.', error);
  }
  return Buffer.concat(chunks);
}

async function putUpload(deps: UploadDeps, input: UploadInput & { storageKey: string }) {
  const maxBytes = deps.config.maxUploadBytes;
  try {
    return await deps.storage.put(input.storageKey, input.source, { maxBytes, signal: input.signal });
  } catch (error) {
    if (error instanceof StorageError && error.reason === 'too_large') {
      throw new AppError('payload_too_large', `A file may have at most ${describeBytes(maxBytes)}.`, {
        cause: error,
      });
    }
    throw error;
  }
}

/**
 * Text by its bytes, but meant to be drawn or opened by a program: upstream would be sent markup in place of a picture.
 * Other signatures do not count in text: a note that starts with "BMW" is no bitmap.
 */
const NOT_A_TEXT_REFERENCE: ReadonlySet<string> = new Set([
  'SVG',
  'HTML',
  'XML',
  'a PDF file',
  'a PS file',
  'a RTF file',
]);

async function typeOf(
  store: AssetStore,
  file: { storageKey: string; fileName: string; bytes: number; head: Uint8Array; isText: boolean },
  tools: MediaTools,
): Promise<string> {
  if (file.bytes === 0) throw new AppError('unprocessable', 'The file is empty. Choose another one.');
  const sniffed = await sniffMedia(file.head);
  if (!sniffed) {
    if (isZip(file.head) && WORD_NAME.test(file.fileName)) return provenWord(store, file.storageKey);
    const looksLike = await describeHead(file.head);
    if (file.isText && !NOT_A_TEXT_REFERENCE.has(looksLike)) return 'text/plain';
    throw new AppError(
      'unprocessable',
      `This is ${looksLike}. Upload an image (PNG, JPEG, WebP, GIF, AVIF), audio, video, a plain text file (UTF-8) or a Word document (.docx).`,
    );
  }
  const measured = await store.withLocalFile(file.storageKey, (path) =>
    measureMedia(tools, { path, kind: sniffed.kind, mime: sniffed.mime }),
  );
  if (measured.type === 'unreadable') {
    const extension = sniffed.extension.toUpperCase();
    throw new AppError(
      'unprocessable',
      `This ${extension} file cannot be read; it may be damaged. Choose another one.`,
    );
  }
  return sniffed.mime;
}

const WORD_NAME = /\.docx$/i;

const isZip = (head: Uint8Array): boolean => head[0] === 0x50 && head[1] === 0x4b;

/** A story as a Word document: kept only when its text can be read. @throws AppError `bad_request` that says why not */
async function provenWord(store: AssetStore, storageKey: string): Promise<string> {
  await readDocument(await readUpload(store, { storageKey }), 'story.docx');
  return WORD_MIME;
}

/** Shows every chunk to `observe` on its way. */
async function* observed(
  source: AsyncIterable<Uint8Array>,
  observe: (chunk: Uint8Array) => unknown,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    observe(chunk);
    yield chunk;
  }
}

function describeBytes(bytes: number): string {
  if (bytes >= 1_000_000) return `${Math.floor(bytes / 100_000) / 10} MB`;
  return `${Math.floor(bytes / 100) / 10} kB`;
}
