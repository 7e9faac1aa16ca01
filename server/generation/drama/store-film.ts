import { createReadStream } from 'node:fs';
import { StorageError } from '#server/storage/asset-store.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { insertOutput, listOutputs } from '../output-queries.ts';
import type { Kind } from '../status.ts';
import type { Step } from '../step.ts';

/** Places of a film's files among the outputs of its task. */
export const FILM_OUTPUTS = { film: 0, poster: 1, srt: 2, vtt: 3 } as const;

type FilmFile = { ordinal: number; kind: Kind; source: { path: string } | { text: string } };

/** Files of a film that are stored already; a crash may have come in between. */
export async function storedOrdinals({ deps, lease }: Pick<Step, 'deps' | 'lease'>): Promise<Set<number>> {
  return new Set((await listOutputs(deps.db, lease.taskId)).map(({ ordinal }) => ordinal));
}

/**
 * Stores what is missing, each file recorded on its own.
 *
 * @returns why a file is not what it should be; null when all are stored
 * @throws StorageError for faults of our own storage
 */
export async function storeFilm(step: Step, files: readonly FilmFile[]): Promise<string | null> {
  const { deps, lease } = step;
  const stored = await storedOrdinals(step);
  for (const { ordinal, kind, source } of files) {
    if (stored.has(ordinal)) continue;
    const result = await deps.storeOutput(deps.storage, {
      key: `outputs/${lease.taskId}/${ordinal}-${lease.token}`,
      kind,
      source: 'path' in source ? createReadStream(source.path) : oneChunk(source.text),
      maxBytes: deps.config.maxOutputBytes,
      signal: step.signal,
    });
    if (result.type === 'invalid') return result.message;
    await crashPoint('compose.after-store');
    const row = { ...result.output, taskId: lease.taskId, ordinal, kind, late: false };
    if (await insertOutput(deps.db, row)) continue;
    await deps.storage.delete(result.output.storageKey).catch((error: unknown) => {
      if (!(error instanceof StorageError)) throw error;
    });
  }
  return null;
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
