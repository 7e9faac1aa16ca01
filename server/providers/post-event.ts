import { classifyFailure } from './classify-error.ts';
import { createSingleUseConnection } from './dispatchers.ts';
import type { OutboundGuard } from './outbound-guard.ts';
import type { PostEventInput, PostEventResult } from './provider.ts';
import { parseRetryAfter } from './retry-after.ts';
import { discard, exchange, type WireResponse } from './transport.ts';

/** As much of an answer as is read; what follows is let go. */
const EXCERPT_BYTES = 1_000;

/**
 * Posts an event to an address that a user gave: one request on a connection of its own, through the outbound guard,
 * without redirects. Never throws; only the first kilobyte of the answer is read.
 */
export async function postEvent(guard: OutboundGuard, input: PostEventInput): Promise<PostEventResult> {
  const limit = AbortSignal.timeout(input.timeoutMs);
  const signal = AbortSignal.any([input.signal, limit]);
  const connection = createSingleUseConnection(guard);
  try {
    const url = guard.checkUrl(input.url);
    const response = await exchange(url.href, {
      method: 'POST',
      headers: new Headers({ 'user-agent': 'sidelane', accept: '*/*', ...input.headers }),
      body: input.body,
      signal,
      dispatcher: connection.dispatcher,
    });
    return {
      type: 'answered',
      status: response.status,
      excerpt: await readExcerpt(response),
      retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), new Date()),
    };
  } catch (error) {
    if (input.signal.aborted) return { type: 'stopped' };
    const stopped = limit.aborted ? 'timeout' : undefined;
    return { type: 'failed', message: classifyFailure(error, { stopped }).message };
  } finally {
    void connection.destroy().catch(() => {});
  }
}

/** The status is the answer; a body that breaks or never ends takes nothing from it. */
async function readExcerpt({ body }: WireResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of body ?? []) {
      parts.push(part);
      bytes += part.byteLength;
      if (bytes >= EXCERPT_BYTES) break;
    }
  } catch {
    // What came is enough.
  }
  await discard(body);
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, EXCERPT_BYTES));
}
