import { isAscii, isUtf8 } from 'node:buffer';
import { parseLosslessJson } from './lossless-json.ts';
import type { UpstreamResponse } from './provider.ts';
import { parseRetryAfter } from './retry-after.ts';
import { discard, type WireResponse } from './transport.ts';

/** Thrown by {@link readBody} when an answer is larger than its cap. */
export class BodyTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`The answer is larger than ${Math.round(maxBytes / 1_000_000)} MB.`);
    this.name = 'BodyTooLargeError';
  }
}

/**
 * Reads a whole body and stops at `maxBytes` (counted after decompression), or before the first byte when more are
 * announced.
 */
export async function readBody(response: WireResponse, maxBytes: number): Promise<Uint8Array> {
  const announced = announcedBytes(response);
  if (announced !== undefined && announced > maxBytes) {
    await discard(response.body);
    throw new BodyTooLargeError(maxBytes);
  }
  // Where the length is known the parts go straight to their place: joining them later takes the memory twice.
  let whole = announced === undefined ? undefined : Buffer.allocUnsafeSlow(announced);
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const part of response.body ?? []) {
    // Leaving the loop closes the body.
    if (total + part.byteLength > maxBytes) throw new BodyTooLargeError(maxBytes);
    if (whole && total + part.byteLength > whole.byteLength) {
      parts.push(whole.subarray(0, total));
      whole = undefined;
    }
    if (whole) whole.set(part, total);
    else parts.push(part);
    total += part.byteLength;
  }
  return whole ? whole.subarray(0, total) : Buffer.concat(parts, total);
}

/** Length of the body as it will be read; undefined when it is compressed or not said. */
function announcedBytes({ headers }: WireResponse): number | undefined {
  const length = headers.get('content-length');
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  return length && /^\d{1,15}$/.test(length) && encoding === 'identity' ? Number(length) : undefined;
}

/** An answer whose body has been read completely, so that reading it cannot fail half way any more. */
export function bufferedResponse(response: WireResponse, body: Uint8Array, now: Date): UpstreamResponse {
  const content = textOnce(body);
  let json: { value: unknown } | undefined;
  return {
    type: 'response',
    status: response.status,
    contentType: (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    header: (name) => response.headers.get(name) ?? undefined,
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), now),
    text: async () => content.text(),
    json: async () => {
      json ??= { value: parseLosslessJson(content.text()) };
      return json.value;
    },
    bytes: async () => content.bytes(),
  };
}

/**
 * Bytes that are held once: as they came, or as text after somebody asked for that, where the bytes can be had back
 * from it. An answer with media inside is large, and the parsed media come on top.
 */
function textOnce(body: Uint8Array): { text(): string; bytes(): Uint8Array } {
  let bytes: Buffer | undefined = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let text: string | undefined;
  return {
    text() {
      if (text !== undefined || bytes === undefined) return text ?? '';
      // The text of ASCII lives outside of the engine's heap, whose size is limited.
      const decoded = isAscii(bytes) ? bytes.toString('latin1') : new TextDecoder().decode(bytes);
      text = decoded;
      const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
      if (isUtf8(bytes) && !hasMark) bytes = undefined;
      return decoded;
    },
    bytes: () => bytes ?? Buffer.from(text ?? ''),
  };
}
