import type { Readable } from 'node:stream';
import { zipFiles } from '#server/composition/zip-files.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { extensionOf } from '#server/storage/sniff.ts';
import { listForZip, type ZipRow } from './queries.ts';

/** Bytes of one archive: what a browser and most people can do something with. */
const MAX_BYTES = 8_000_000_000;

/**
 * A selection of files as one archive, read from storage one after the other while it is sent. Files that are not
 * there, and those of others, are left out.
 *
 * @throws AppError `not_found` when nothing is left, `payload_too_large`
 */
export async function zipOutputs(
  deps: Pick<Deps, 'db' | 'storage'>,
  input: { userId: string; outputIds: readonly string[] },
): Promise<{ fileName: string; stream: Readable }> {
  const rows = await listForZip(deps.db, input);
  if (rows.length === 0) throw new AppError('not_found', 'None of these files is in your library.');
  if (rows.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_BYTES) {
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
