import type { Deps } from '#server/deps.ts';
import { redactText } from '#server/lib/redact.ts';
import { type ArtefactRef, type ChannelAccess, DownloadBrokenError } from '#server/providers/provider.ts';
import { StorageError, type StoredOutput } from '#server/storage/asset-store.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { insertOutput, listOutputs } from './output-queries.ts';
import type { Kind } from './status.ts';

/** Outputs kept of one task, whatever upstream sends. */
const MAX_OUTPUTS = 16;

export type ArtefactProblem =
  /** Expired, or not visible yet: a fresh poll may give another address. */
  | { type: 'gone'; message: string }
  /** Not a usable file of this kind. */
  | { type: 'invalid'; message: string }
  | { type: 'transient'; message: string; retryAfterMs?: number }
  /** Our own storage: never counts against upstream's tries. */
  | { type: 'storage'; message: string };

export type StoreArtefactsInput = {
  taskId: string;
  kind: Kind;
  artefacts: readonly ArtefactRef[];
  access: ChannelAccess;
  /** Makes storage keys of concurrent holders differ. */
  keySuffix: string;
  late: boolean;
  signal: AbortSignal;
};

/**
 * Stores what is missing of a task's outputs, each recorded on its own, so that a retry fetches only the rest.
 *
 * @returns the number of outputs in storage and what went wrong with the others
 */
export async function storeArtefacts(
  deps: Deps,
  input: StoreArtefactsInput,
): Promise<{ stored: number; problems: ArtefactProblem[] }> {
  const have = new Set((await listOutputs(deps.db, input.taskId)).map((output) => output.ordinal));
  const problems: ArtefactProblem[] = [];
  for (const [ordinal, artefact] of input.artefacts.slice(0, MAX_OUTPUTS).entries()) {
    if (have.has(ordinal)) continue;
    input.signal.throwIfAborted();
    const result = await storeOne(deps, input, { ordinal, artefact });
    if ('problem' in result) {
      // Our own stop is nobody's fault: it must not count as one of upstream's answers.
      input.signal.throwIfAborted();
      problems.push(result.problem);
      continue;
    }
    await crashPoint('archive.after-store');
    const kept = await insertOutput(deps.db, {
      ...result.output,
      taskId: input.taskId,
      ordinal,
      kind: input.kind,
      late: input.late,
    });
    if (kept) have.add(ordinal);
    else await deps.storage.delete(result.output.storageKey).catch(() => undefined);
    await crashPoint('archive.after-record');
  }
  return { stored: have.size, problems };
}

async function storeOne(
  deps: Deps,
  input: StoreArtefactsInput,
  item: { ordinal: number; artefact: ArtefactRef },
): Promise<{ output: StoredOutput } | { problem: ArtefactProblem }> {
  const source = await openSource(deps, input, item.artefact);
  if ('problem' in source) return source;
  try {
    const result = await deps.storeOutput(deps.storage, {
      key: `outputs/${input.taskId}/${item.ordinal}-${input.keySuffix}`,
      kind: input.kind,
      source: source.stream,
      announcedBytes: source.announcedBytes,
      maxBytes: deps.config.maxOutputBytes,
      signal: input.signal,
    });
    if (result.type === 'stored') return { output: result.output };
    return { problem: { type: 'invalid', message: result.message } };
  } catch (error) {
    input.signal.throwIfAborted();
    if (error instanceof DownloadBrokenError)
      return { problem: { type: 'transient', message: error.message } };
    return { problem: storageProblem(error) };
  }
}

async function openSource(
  deps: Deps,
  input: StoreArtefactsInput,
  artefact: ArtefactRef,
): Promise<{ stream: AsyncIterable<Uint8Array>; announcedBytes?: number } | { problem: ArtefactProblem }> {
  switch (artefact.type) {
    case 'text':
      return { stream: oneChunk(new TextEncoder().encode(artefact.text)) };
    case 'stored':
      try {
        return { stream: (await deps.storage.open(artefact.storageKey)).stream };
      } catch (error) {
        return { problem: storageProblem(error) };
      }
    case 'url': {
      const download = await deps.providers.download(input.access, artefact, { signal: input.signal });
      switch (download.type) {
        case 'open':
          return { stream: download.stream, announcedBytes: download.contentLength };
        case 'gone':
          return { problem: { type: 'gone', message: download.message } };
        case 'refused':
          return { problem: { type: 'invalid', message: download.message } };
        case 'transient':
          return {
            problem: { type: 'transient', message: download.message, retryAfterMs: download.retryAfterMs },
          };
      }
    }
  }
}

function storageProblem(error: unknown): ArtefactProblem {
  const message = error instanceof StorageError ? error.message : redactText(String(error));
  return { type: 'storage', message };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
