import type { Readable } from 'node:stream';
import { zipFiles } from '#server/composition/zip-files.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { sanitiseFileName } from '#server/storage/file-name.ts';
import { extensionOf } from '#server/storage/sniff.ts';
import { findCollectionName } from './collection-queries.ts';
import { listForZip, sumFiles, type ZipChoice, type ZipRow } from './queries.ts';
import { type ArchiveView, type LibraryFilter, MAX_ARCHIVE_BYTES, MAX_ARCHIVE_FILES } from './schemas.ts';

type ZipDeps = Pick<Deps, 'db' | 'storage'>;
export type Archive = { fileName: string; stream: Readable };

/**
 * A selection of files as one archive, read from storage one after the other while it is sent. Files that are not
 * there, and those of others, are left out.
 *
 * @throws AppError `not_found` when nothing is left, `payload_too_large`
 */
export async function zipOutputs(
  deps: ZipDeps,
  input: { userId: string; outputIds: readonly string[] },
): Promise<Archive> {
  const { userId, outputIds } = input;
  return zip(deps, { userId, choice: { outputIds } }, 'None of these files is in your library.');
}

/**
 * All files of a list as one archive: a collection, the favourites, whatever the filters say.
 *
 * @throws AppError `not_found` when there are none, `payload_too_large`
 */
export async function zipList(
  deps: ZipDeps,
  input: { userId: string; filter: LibraryFilter },
): Promise<Archive> {
  const { userId, filter } = input;
  const archive = await zip(deps, { userId, choice: { filter } }, 'There are no such files in your library.');
  const collection =
    filter.collection && (await findCollectionName(deps.db, { userId, collectionId: filter.collection }));
  return collection
    ? { ...archive, fileName: sanitiseFileName(`${collection.replace(/[/\\]/g, ' ')}.zip`, 'zip') }
    : archive;
}

/** How much all files of a list are, and whether that fits into one archive. */
export async function measureArchive(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; filter: LibraryFilter },
): Promise<ArchiveView> {
  const sum = await sumFiles(deps.db, { ...input, limit: MAX_ARCHIVE_FILES + 1 });
  return {
    ...sum,
    fits: sum.files <= MAX_ARCHIVE_FILES && sum.bytes <= MAX_ARCHIVE_BYTES,
    mostFiles: MAX_ARCHIVE_FILES,
    mostBytes: MAX_ARCHIVE_BYTES,
  };
}

async function zip(deps: ZipDeps, of: { userId: string; choice: ZipChoice }, none: string): Promise<Archive> {
  const rows = await listForZip(deps.db, { ...of, limit: MAX_ARCHIVE_FILES + 1 });
  if (rows.length === 0) throw new AppError('not_found', none);
  if (rows.length > MAX_ARCHIVE_FILES) {
    throw new AppError('payload_too_large', 'These are more than 2,000 files. Choose fewer files.');
  }
  if (rows.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_ARCHIVE_BYTES) {
    throw new AppError('payload_too_large', 'These are more than 8 GB. Choose fewer files.');
  }
  const stream = zipFiles(
    rows.map((row) => ({
      name: nameOf(row),
      source: async () => (await deps.storage.open(row.storageKey)).stream,
      mtime: row.createdAt,
    })),
  );
  return { fileName: `sidelane-${rows.length}-files.zip`, stream };
}

/** Told apart by the end of the task's id; the words of the prompt are for people. */
function nameOf({ prompt, taskId, ordinal, mime }: ZipRow): string {
  const words = prompt
    .replace(/[\s/\\]+/g, ' ')
    .trim()
    .slice(0, 40)
    .trim();
  return `${words || 'file'} ${taskId.slice(-8)}-${ordinal + 1}.${extensionOf(mime)}`;
}
