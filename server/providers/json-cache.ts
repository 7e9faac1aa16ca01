import type { createHttpClient } from './http-client.ts';

const TIMEOUT_MS = 10_000;

type Entry = { value: Promise<unknown>; readAt: number };

/**
 * Public JSON documents of vendors (key sets), read through the outbound guard and kept for a while. A failed read is
 * not kept.
 */
export function createJsonCache(client: Pick<ReturnType<typeof createHttpClient>, 'open'>): {
  /** @throws Error when the document cannot be read */
  get(url: string, maxAgeMs: number): Promise<unknown>;
} {
  const entries = new Map<string, Entry>();

  async function read(url: string): Promise<unknown> {
    const call = client.open({
      mode: 'read',
      baseUrl: url,
      credentials: {},
      signal: new AbortController().signal,
      timeoutMs: TIMEOUT_MS,
    });
    try {
      const answer = await call.request({ method: 'GET', url });
      const body = answer.type === 'response' && answer.status === 200 ? await answer.json() : undefined;
      if (body === undefined) throw new Error(`${new URL(url).host} did not answer with JSON.`);
      return body;
    } finally {
      call.close();
    }
  }

  return {
    get(url, maxAgeMs) {
      const known = entries.get(url);
      if (known && performance.now() - known.readAt < maxAgeMs) return known.value;
      const value = read(url);
      entries.set(url, { value, readAt: performance.now() });
      value.catch(() => entries.delete(url));
      return value;
    },
  };
}
