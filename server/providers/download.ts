import { classifyFailure, errorClassOfStatus } from './classify-error.ts';
import type { OpenStream } from './http-client.ts';
import { OutboundRefusedError } from './outbound-guard.ts';
import { DownloadBrokenError, type DownloadResult, type ErrorClass } from './provider.ts';
import { parseRetryAfter } from './retry-after.ts';
import { discard, type WireResponse } from './transport.ts';

export type DownloadLimits = {
  /** Until the first byte of the answer, and between two pieces of the body. */
  idleMs: number;
  totalMs: number;
  /**
   * Least pace: this many bytes in each `windowMs` of waiting. Without it a few files that drip would hold every
   * transfer slot until the total limit.
   */
  pace?: { bytes: number; windowMs: number };
};

export const DOWNLOAD_LIMITS: DownloadLimits = {
  idleMs: 30_000,
  totalMs: 30 * 60_000,
  pace: { bytes: 65_536, windowMs: 60_000 },
};

type DownloadInput = {
  url: string;
  baseUrl: string;
  credentials: Readonly<Record<string, string>>;
  signal: AbortSignal;
  limits: DownloadLimits;
};

/**
 * Opens a file of an upstream. The stream checks its own limits and its length; a break in it is thrown as
 * {@link DownloadBrokenError}. The running size cap is the store's.
 */
export async function openDownload(openStream: OpenStream, input: DownloadInput): Promise<DownloadResult> {
  const watch = startWatch(input.signal, input.limits);
  try {
    watch.expect();
    const response = await openStream({ ...input, signal: watch.signal });
    watch.arrived();
    if (response.status < 200 || response.status > 299) {
      const refusal = await readRefusal(response);
      watch.stop();
      return refusal;
    }
    const length = response.headers.get('content-length');
    const encoded = response.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
    const contentLength =
      length && /^\d{1,15}$/.test(length) && encoded === 'identity' ? Number(length) : undefined;
    return {
      type: 'open',
      stream: closable(readPieces(response, contentLength, { watch, pace: input.limits.pace }), async () => {
        watch.stop();
        await discard(response.body);
      }),
      contentType: (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
      contentLength,
    };
  } catch (error) {
    watch.stop();
    const failure = classifyFailure(error, { stopped: watch.stopped() });
    if (failure.phase === 'guard') return { type: 'refused', message: failure.message };
    if (error instanceof OutboundRefusedError) return { type: 'refused', message: error.message };
    return { type: 'transient', errorClass: failure.errorClass, message: failure.message };
  }
}

/** 403, 404 and 410 mean an expired or not yet visible file; everything else may pass. */
async function readRefusal(response: WireResponse): Promise<DownloadResult> {
  await discard(response.body);
  const { status } = response;
  if (status === 403 || status === 404 || status === 410) {
    return { type: 'gone', status, message: `The file is not there (HTTP ${status}).` };
  }
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), new Date());
  // 400 is what content endpoints answer while the job is "not completed yet".
  return {
    type: 'transient',
    errorClass: errorClassOfStatus(status),
    message: `The file could not be read (HTTP ${status}).`,
    retryAfterMs,
  };
}

async function* readPieces(
  response: WireResponse,
  expected: number | undefined,
  { watch, pace }: { watch: Watch; pace: DownloadLimits['pace'] },
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.[Symbol.asyncIterator]();
  const keepsPace = watchPace(pace);
  let received = 0;
  try {
    while (reader) {
      // The idle limit runs only while we wait for upstream, not while the consumer writes.
      watch.expect();
      const since = performance.now();
      const { done, value } = await reader.next();
      watch.arrived();
      if (done) break;
      received += value.byteLength;
      if (!keepsPace(value.byteLength, performance.now() - since))
        throw new DownloadBrokenError('timeout', 'The file comes too slowly to be fetched.');
      yield value;
    }
  } catch (error) {
    throw broken(error, watch);
  } finally {
    watch.stop();
    await reader?.return?.().catch(() => {});
  }
  if (expected !== undefined && received !== expected) {
    throw new DownloadBrokenError('network', `The file broke off after ${received} of ${expected} bytes.`);
  }
}

/** Counts bytes over windows of the time that was spent waiting for upstream; false once a window brought too few. */
function watchPace(pace: DownloadLimits['pace']): (bytes: number, waitedMs: number) => boolean {
  let waitedMs = 0;
  let bytes = 0;
  return (more, waited) => {
    if (!pace) return true;
    waitedMs += waited;
    bytes += more;
    if (waitedMs < pace.windowMs) return true;
    const kept = bytes >= pace.bytes;
    waitedMs = 0;
    bytes = 0;
    return kept;
  };
}

/**
 * A stream whose `return` lets go of the connection at once: a generator alone ignores it before its first piece and
 * while it waits for one, and the connection would then stay open until the total limit.
 */
function closable(
  pieces: AsyncGenerator<Uint8Array>,
  close: () => Promise<void>,
): AsyncIterableIterator<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => pieces.next(),
    async return() {
      await close();
      return pieces.return(undefined);
    },
  };
}

function broken(error: unknown, watch: Watch): unknown {
  if (error instanceof DownloadBrokenError) return error;
  const failure = classifyFailure(error, { stopped: watch.stopped() });
  return new DownloadBrokenError(failure.errorClass, failure.message);
}

type Watch = {
  signal: AbortSignal;
  expect(): void;
  arrived(): void;
  stop(): void;
  stopped(): 'timeout' | 'aborted' | undefined;
};

/** The total limit runs from the start; the idle limit between `expect` and `arrived`. */
function startWatch(outer: AbortSignal, limits: DownloadLimits): Watch {
  const limit = new AbortController();
  const abort = () => limit.abort(new Error('time limit'));
  const total = setTimeout(abort, limits.totalMs).unref();
  let idle: NodeJS.Timeout | undefined;
  return {
    signal: AbortSignal.any([outer, limit.signal]),
    expect() {
      idle = setTimeout(abort, limits.idleMs);
    },
    arrived() {
      clearTimeout(idle);
    },
    stop() {
      clearTimeout(idle);
      clearTimeout(total);
    },
    stopped: (): (ErrorClass & ('timeout' | 'aborted')) | undefined =>
      limit.signal.aborted ? 'timeout' : outer.aborted ? 'aborted' : undefined,
  };
}
