import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** One message to a webhook, with every try to deliver it. */
export type Message = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** `status` is null when there was no answer; then `error` says why. */
  tries: { at: number; status: number | null; error: string | null }[];
  delivered: boolean;
  /** No further try will come. */
  finished: boolean;
};

/** Doubles from try to try. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const TRY_LIMIT_MS = 5_000;

/** One POST on its own connection; redirects are not followed. */
function post(message: Message, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const target = new URL(message.url);
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(message.body),
      ...message.headers,
    };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TRY_LIMIT_MS)]);
    const sending = send(target, { method: 'POST', headers, agent: false, signal: limit }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    sending.on('error', reject);
    sending.end(message.body);
  });
}

/** Tries until a 2xx, `tries` times at most. Rejects when the signal ends the pause between two. */
export async function deliver(
  message: Message,
  { tries, signal }: { tries: number; signal: AbortSignal },
): Promise<void> {
  for (let round = 0; round < tries && !message.delivered; round += 1) {
    if (round > 0) {
      await sleep(Math.min(FIRST_PAUSE_MS * 2 ** (round - 1), LONGEST_PAUSE_MS), undefined, { signal });
    }
    const entry: Message['tries'][number] = { at: Date.now(), status: null, error: null };
    message.tries.push(entry);
    try {
      entry.status = await post(message, signal);
      message.delivered = entry.status >= 200 && entry.status < 300;
    } catch (error) {
      entry.error = error instanceof Error ? error.message : String(error);
    }
  }
  message.finished = true;
}
