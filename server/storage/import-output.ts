import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { StorageError } from './asset-store.ts';
import { findImported, findOwnOutput, insertImported, refileImported } from './import-queries.ts';
import { extensionOf } from './sniff.ts';

type ImportDeps = Pick<Deps, 'db' | 'storage' | 'newId' | 'logger'> & {
  config: Pick<Deps['config'], 'maxUploadBytes'>;
};

/** A copy that is being removed at the same moment may have to be made twice; more often than this nobody is that unlucky. */
const TRIES = 3;

/**
 * Copies a result into an upload of the same user, so that it serves as a reference of a further task. Once per output:
 * repeated and simultaneous calls get the same upload. A copy that no task uses goes with other unused uploads; the
 * next call makes it anew.
 *
 * @returns the upload's id
 * @throws AppError `not_found` for an output that is not this user's, was thrown away or whose file was removed, `payload_too_large`
 */
export async function importOutput(
  deps: ImportDeps,
  input: { userId: string; outputId: string },
): Promise<string> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const known = await findImported(deps.db, input.outputId);
    const output = await findOwnOutput(deps.db, input);
    // The copy outlives the file that it was made from, but it is nobody else's.
    if (!output) throw new AppError('not_found', 'The result to refer to is not there any more.');
    if (known && !known.isInRemoval) return known.id;
    const id = deps.newId();
    const file = await copyFile(deps, { ...output, to: `uploads/${input.userId}/${id}` });
    const isKept = known
      ? await refileImported(deps.db, { id: known.id, from: known.storageKey, file })
      : await insertImported(deps.db, {
          id,
          userId: input.userId,
          fileName: `result-${output.ordinal + 1}.${extensionOf(output.mime)}`,
          mime: output.mime,
          sourceOutputId: input.outputId,
          ...file,
        });
    await removeQuietly(deps, isKept ? known?.storageKey : file.storageKey);
    if (isKept) return known?.id ?? id;
  }
  throw new AppError('unavailable', 'The result cannot be referred to right now. Try again in a moment.');
}

async function copyFile(
  deps: ImportDeps,
  output: { storageKey: string; bytes: number; to: string },
): Promise<{ storageKey: string; bytes: number; sha256: string }> {
  const { maxUploadBytes } = deps.config;
  if (output.bytes > maxUploadBytes) {
    throw new AppError('payload_too_large', 'This result is too large to serve as a reference.');
  }
  try {
    const { stream } = await deps.storage.open(output.storageKey);
    const { bytes, sha256 } = await deps.storage.put(output.to, stream, { maxBytes: maxUploadBytes });
    return { storageKey: output.to, bytes, sha256 };
  } catch (error) {
    if (error instanceof StorageError && error.reason === 'missing') {
      throw new AppError('not_found', 'The result to refer to is not there any more.', { cause: error });
    }
    throw error;
  }
}

async function removeQuietly(deps: ImportDeps, storageKey: string | undefined): Promise<void> {
  if (storageKey === undefined) return;
  await deps.storage.delete(storageKey).catch(() => {
    deps.logger.warn({ storageKey }, 'A copy that nobody needs could not be removed');
  });
}
