import { parseLosslessJson } from './lossless-json.ts';
import type { UpstreamResponse } from './provider.ts';
import { parseRetryAfter } from './retry-after.ts';
import type { WireResponse } from './transport.ts';

/** Thrown by {@link readBody} when an answer is larger than its cap. */
export class BodyTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`The answer is larger than ${Math.round(maxBytes / 1_000_000)} MB.`);
    this.name = 'BodyTooLargeError';
  }
}

/** Reads a whole body and stops at `maxBytes` (counted after decompression). */
export async function readBody(body: WireResponse['body'], maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const part of body ?? []) {
    total += part.byteLength;
    // Leaving the loop closes the body.
    if (total > maxBytes) throw new BodyTooLargeError(maxBytes);
    parts.push(part);
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, total);
}

/** An answer whose body has been read completely, so that reading it cannot fail half way any more. */
export function bufferedResponse(response: WireResponse, body: Uint8Array, now: Date): UpstreamResponse {
  let text: string | undefined;
  let json: { value: unknown } | undefined;
  const readText = () => {
    text ??= new TextDecoder().decode(body);
    return text;
  };
  return {
    type: 'response',
    status: response.status,
    contentType: (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    header: (name) => response.headers.get(name) ?? undefined,
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), now),
    text: async () => readText(),
    json: async () => {
      json ??= { value: parseLosslessJson(readText()) };
      return json.value;
    },
    bytes: async () => body,
  };
}
