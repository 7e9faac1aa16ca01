import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { StorageError } from '#server/storage/asset-store.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import {
  deleteUploadRow,
  dispatchesDone,
  markOutputRemoved,
  type RemovableOutput,
  type RemovableUpload,
} from './file-queries.ts';

type FileDeps = Pick<Deps, 'db' | 'storage' | 'logger'>;

/** Storage that does not answer is not asked for every file: a turn stops after so many faults. */
const MOST_FAULTS = 5;

/**
 * Removes files and then says so in their rows. A process that ends in between leaves a row whose file is gone, and
 * that is due again; the other order would leave files that no row names. One try per file and turn.
 *
 * @returns how many were done, and the faults
 */
async function removeEach<T>(
  deps: FileDeps,
  rows: readonly T[],
  remove: (row: T) => Promise<void>,
): Promise<{ done: number; faults: number }> {
  let done = 0;
  let faults = 0;
  for (const row of rows) {
    if (faults >= MOST_FAULTS) break;
    try {
      await remove(row);
      done += 1;
    } catch (error) {
      faults += 1;
      deps.logger.warn(
        { error: describeError(error) },
        'A file could not be removed; it is tried again later',
      );
    }
  }
  return { done, faults };
}

export function removeOutputs(deps: FileDeps, outputs: readonly RemovableOutput[]) {
  return removeEach(deps, outputs, async (output) => {
    await deleteFile(deps, output.storageKey);
    if (output.previewKey) await deleteFile(deps, output.previewKey);
    await crashPoint('retention.after-file');
    await markOutputRemoved(deps.db, output);
  });
}

export function removeUploads(deps: FileDeps, uploads: readonly RemovableUpload[]) {
  return removeEach(deps, uploads, async (upload) => {
    await deleteFile(deps, upload.storageKey);
    await crashPoint('retention.after-file');
    await deleteUploadRow(deps.db, upload.id);
  });
}

const INCOMING = 'incoming/';
/** Folders looked at in a turn, oldest first: names are ids, and ids carry the time of their making. */
const FOLDERS = 1_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Bytes of answers that were kept until they could be archived, and never were. */
export async function removeIncoming(deps: FileDeps, limit: number) {
  const folders = await deps.storage.listFolders(INCOMING, FOLDERS);
  const ids = folders.filter((name) => UUID.test(name));
  if (ids.length === 0) return { done: 0, faults: 0 };
  return removeEach(deps, await dispatchesDone(deps.db, { ids, limit }), (id) =>
    deps.storage.deletePrefix(`${INCOMING}${id}/`),
  );
}

/** A file that is gone already was removed by a turn that did not get to the row. */
async function deleteFile(deps: Pick<Deps, 'storage'>, key: string): Promise<void> {
  try {
    await deps.storage.delete(key);
  } catch (error) {
    if (!(error instanceof StorageError && error.reason === 'missing')) throw error;
  }
}
