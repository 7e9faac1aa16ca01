/** Bytes that come inside an answer. */

/** Base64 characters decoded at once; whole groups of four. */
const PIECE_CHARACTERS = 1_048_576;

/**
 * Bytes of base64 text with or without a `data:` prefix; undefined when there are none. They are decoded piece by piece
 * whenever they are read, so that a large file is never in memory beside its own text.
 */
export function decodeBase64(text: string | undefined): Iterable<Uint8Array> | undefined {
  if (!text) return undefined;
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  if (text.startsWith('data:') && !/;base64,$/i.test(text.slice(0, start))) return undefined;
  const bytes = { [Symbol.iterator]: () => decodePieces(text, start) };
  return bytes[Symbol.iterator]().next().done ? undefined : bytes;
}

/** Bytes of a base64 `data:` URI; undefined for any other address. */
export function decodeDataUri(url: string | undefined): Iterable<Uint8Array> | undefined {
  return url?.startsWith('data:') ? decodeBase64(url) : undefined;
}

/** Line breaks and other characters that are not base64 are passed over, as Node does; padding ends the text. */
function* decodePieces(text: string, start: number): Generator<Uint8Array, void> {
  let rest = '';
  for (let at = start; at < text.length; at += PIECE_CHARACTERS) {
    const digits = rest + text.slice(at, at + PIECE_CHARACTERS).replaceAll(/[^A-Za-z0-9+/_=-]+/g, '');
    const end = digits.indexOf('=');
    if (end >= 0) {
      rest = digits.slice(0, end);
      break;
    }
    const whole = digits.length - (digits.length % 4);
    if (whole > 0) yield Buffer.from(digits.slice(0, whole), 'base64');
    rest = digits.slice(whole);
  }
  const last = Buffer.from(rest, 'base64');
  if (last.byteLength > 0) yield last;
}

/** Bytes of hexadecimal text, decoded piece by piece like base64; undefined when the text is anything else. */
export function decodeHex(text: string | undefined): Iterable<Uint8Array> | undefined {
  if (!text || text.length % 2 === 1 || !isHex(text)) return undefined;
  return { [Symbol.iterator]: () => decodeHexPieces(text) };
}

function* decodeHexPieces(text: string): Generator<Uint8Array, void> {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    yield Buffer.from(text.slice(at, at + PIECE_CHARACTERS), 'hex');
  }
}

function isHex(text: string): boolean {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    if (!/^[0-9a-f]+$/i.test(text.slice(at, at + PIECE_CHARACTERS))) return false;
  }
  return true;
}
