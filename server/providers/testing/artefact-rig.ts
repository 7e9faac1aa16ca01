import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Kind } from '#server/generation/status.ts';
import type { AssetStore, StoreOutputResult } from '#server/storage/asset-store.ts';
import { createAssetStore } from '#server/storage/create-asset-store.ts';
import { storeOutput } from '#server/storage/store-output.ts';
import { type FakeS3, startFakeS3 } from '#server/storage/testing/fake-s3.ts';
import { collectingLogger } from '#server/testing/msw/upstream.ts';
import type { DownloadLimits } from '../download.ts';
import type { OutboundGuardOptions } from '../outbound-guard.ts';
import type { DownloadResult } from '../provider.ts';
import { createProviderRuntime } from '../registry.ts';

export type ArtefactServer = {
  host: string;
  origin: string;
  /** `METHOD path`, in order. */
  requests: string[];
  /** Connections that are open now. */
  connections(): Promise<number>;
  close(): Promise<void>;
};

/** A real HTTP server on the loopback address. */
export async function startArtefactServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<ArtefactServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.on('error', () => {});
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    origin: `http://${host}`,
    requests,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Writes pieces as fast as the reader takes them, until `pieces` ends or the reader goes away. */
export function pour(response: ServerResponse, pieces: Iterator<Uint8Array>): void {
  while (!response.destroyed) {
    const next = pieces.next();
    if (next.done) {
      response.end();
      return;
    }
    if (!response.write(next.value)) {
      response.once('drain', () => pour(response, pieces));
      return;
    }
  }
}

type FetchInput = {
  url: string;
  kind: Kind;
  guard: OutboundGuardOptions;
  limits?: DownloadLimits;
  maxBytes?: number;
};

/** What the archive step does with one address: the real download into the real store. */
async function fetchToStore(
  store: AssetStore,
  input: FetchInput,
): Promise<StoreOutputResult | Exclude<DownloadResult, { type: 'open' }>> {
  const runtime = createProviderRuntime({
    storage: store,
    logger: collectingLogger([]),
    guard: input.guard,
    downloadLimits: input.limits,
  });
  const { signal } = new AbortController();
  const access = { protocol: 'openai', baseUrl: 'https://api.example/v1', apiKey: 'sk-0123456789abcdef' };
  try {
    const download = await runtime.download(access, { type: 'url', url: input.url }, { signal });
    if (download.type !== 'open') return download;
    return await storeOutput(store, {
      key: 'outputs/t/0-a',
      kind: input.kind,
      source: download.stream,
      announcedBytes: download.contentLength,
      maxBytes: input.maxBytes ?? 50_000_000,
      signal,
    });
  } finally {
    // It waits for transfers that were not let go; the tests look at those themselves.
    void runtime.close();
  }
}

/** Pieces that never end, and how much of them was taken. */
export function endless(start: Uint8Array): Iterator<Uint8Array> & { bytes(): number } {
  const piece = Buffer.alloc(65_536, ' ');
  let bytes = 0;
  return {
    next() {
      const value = bytes === 0 ? start : piece;
      bytes += value.byteLength;
      return { done: false, value };
    },
    bytes: () => bytes,
  };
}

export const send = (type: string, body: string | Uint8Array) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': type }).end(body);
};

/**
 * From an address that upstream gave to a file in storage, over real HTTP and on a real disk. Call it once per test
 * file: it registers its own hooks, and every test has an empty store.
 */
export function createArtefactBench() {
  let dir = '';
  let store: AssetStore;
  const cleanups: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sidelane-artefact-'));
    store = createAssetStore({ driver: 'fs', dir });
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
    await rm(dir, { recursive: true, force: true });
  });
  return {
    pathOf: (name: string) => join(dir, name),
    /** The answers in order; the last one repeats. */
    async serve(...answers: ((response: ServerResponse) => void)[]): Promise<ArtefactServer> {
      let turn = 0;
      const server = await startArtefactServer((_request, response) => {
        const answer = answers[Math.min(turn, answers.length - 1)];
        turn += 1;
        answer?.(response);
      });
      cleanups.push(() => server.close());
      return server;
    },
    /** A bucket in place of the disk. */
    async useBucket(): Promise<FakeS3> {
      const s3 = await startFakeS3('lane');
      cleanups.push(() => s3.close());
      store = createAssetStore({
        driver: 's3',
        bucket: 'lane',
        region: 'us-east-1',
        endpoint: s3.endpoint,
        accessKeyId: 'test',
        secretAccessKey: 'test-secret',
        forcePathStyle: true,
      });
      return s3;
    },
    fetchUrl: (url: string, kind: Kind, more: Partial<FetchInput> = {}) =>
      fetchToStore(store, { url, kind, guard: {}, ...more }),
    fetchFrom: (server: ArtefactServer, kind: Kind, more: Partial<FetchInput> = {}) =>
      fetchToStore(store, {
        url: `${server.origin}/file`,
        kind,
        guard: { allowHosts: [server.host] },
        ...more,
      }),
    async filesOnDisk(): Promise<string[]> {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    },
    /** Our side let go: nothing keeps a transfer open that has been given up. */
    letGo: (server: ArtefactServer) => expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(0),
  };
}
