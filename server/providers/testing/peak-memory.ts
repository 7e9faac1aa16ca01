import { createLogger } from '#server/lib/logger.ts';
import { createDiskStore } from '#server/storage/disk-store.ts';
import { storeOutput } from '#server/storage/store-output.ts';
import type { ArtefactRef } from '../provider.ts';
import { createProviderRuntime } from '../registry.ts';

/**
 * A process of its own, so that its peak memory is that of one transfer: brings one artefact from a server to the disk,
 * first a small one to warm up, then the one to be measured. Prints one line of JSON.
 *
 * Arguments: `download` or `create`, the server's origin, a directory, the largest output in bytes.
 */
const [, , mode, origin = '', directory = '', maxBytes = ''] = process.argv;

export type PeakMemory = {
  /** Peak resident size in bytes, before and after the large artefact. */
  before: number;
  after: number;
  result: Awaited<ReturnType<typeof storeOutput>>;
  /** What a task's row would keep of the answer, as JSON. */
  raw: string;
};

const store = createDiskStore(directory);
const runtime = createProviderRuntime({
  storage: store,
  logger: createLogger('silent'),
  guard: { allowHosts: [new URL(origin).host] },
});
const access = { protocol: 'openai', baseUrl: `${origin}/v1`, apiKey: 'sk-0123456789abcdef' };
const { signal } = new AbortController();

/** In bytes: the system counts in units of 1,024. */
const peak = () => process.resourceUsage().maxRSS * 1_024;

async function make(size: string): Promise<{ artefact: ArtefactRef | undefined; raw: unknown }> {
  if (mode === 'download') return { artefact: { type: 'url', url: `${origin}/${size}` }, raw: undefined };
  const request = {
    kind: 'image',
    endpoint: 'images',
    model: size,
    prompt: 'x',
    params: {},
    references: [],
  } as const;
  const outcome = await runtime.create(access, request, { dispatchId: size, timeoutMs: 600_000, signal });
  if (outcome.type !== 'done') throw new Error(JSON.stringify(outcome));
  return { artefact: outcome.artefacts[0], raw: outcome.raw };
}

async function open(artefact: ArtefactRef | undefined): Promise<AsyncIterable<Uint8Array>> {
  if (artefact?.type === 'stored') return (await store.open(artefact.storageKey)).stream;
  if (artefact?.type !== 'url') throw new Error('There is no file in the answer.');
  const download = await runtime.download(access, artefact, { signal });
  if (download.type !== 'open') throw new Error(JSON.stringify(download));
  return download.stream;
}

async function bring(size: string) {
  const { artefact, raw } = await make(size);
  const source = await open(artefact);
  const kind = mode === 'download' ? 'video' : 'image';
  const result = await storeOutput(store, {
    key: `outputs/${size}`,
    kind,
    source,
    maxBytes: Number(maxBytes),
    signal,
  });
  return { result, raw: JSON.stringify(raw ?? null) };
}

await bring('small');
const before = peak();
const brought = await bring('large');
const report: PeakMemory = { before, after: peak(), ...brought };
await runtime.close();
process.stdout.write(`${JSON.stringify(report)}\n`);
