import { fileTypeFromBuffer } from 'file-type';
import type { Kind } from '#server/generation/status.ts';

export type MediaKind = Exclude<Kind, 'text'>;

/** Enough of a file's start for every signature that is read here. */
export const SNIFFED_BYTES = 4_100;

/** What the bytes are, whatever anyone said they would be. `demuxer` is ffmpeg's name of the container. */
export type Sniffed = { kind: MediaKind; mime: string; extension: string; demuxer?: string };

/** The media that are accepted, by the names `file-type` gives them. Everything else is refused. */
const MEDIA: Readonly<Record<string, Sniffed>> = {
  'image/png': { kind: 'image', mime: 'image/png', extension: 'png' },
  'image/apng': { kind: 'image', mime: 'image/png', extension: 'png' },
  'image/jpeg': { kind: 'image', mime: 'image/jpeg', extension: 'jpg' },
  'image/webp': { kind: 'image', mime: 'image/webp', extension: 'webp' },
  'image/gif': { kind: 'image', mime: 'image/gif', extension: 'gif' },
  'image/avif': { kind: 'image', mime: 'image/avif', extension: 'avif' },
  'video/mp4': { kind: 'video', mime: 'video/mp4', extension: 'mp4', demuxer: 'mov' },
  'video/quicktime': { kind: 'video', mime: 'video/quicktime', extension: 'mov', demuxer: 'mov' },
  'video/webm': { kind: 'video', mime: 'video/webm', extension: 'webm', demuxer: 'matroska' },
  'audio/mpeg': { kind: 'audio', mime: 'audio/mpeg', extension: 'mp3', demuxer: 'mp3' },
  'audio/wav': { kind: 'audio', mime: 'audio/wav', extension: 'wav', demuxer: 'wav' },
  'audio/ogg': { kind: 'audio', mime: 'audio/ogg', extension: 'ogg', demuxer: 'ogg' },
  'audio/ogg; codecs=opus': { kind: 'audio', mime: 'audio/ogg', extension: 'ogg', demuxer: 'ogg' },
  'audio/flac': { kind: 'audio', mime: 'audio/flac', extension: 'flac', demuxer: 'flac' },
  'audio/aac': { kind: 'audio', mime: 'audio/aac', extension: 'aac', demuxer: 'aac' },
  'audio/mp4': { kind: 'audio', mime: 'audio/mp4', extension: 'm4a', demuxer: 'mov' },
  'audio/x-m4a': { kind: 'audio', mime: 'audio/mp4', extension: 'm4a', demuxer: 'mov' },
};

/** A Word document; no medium, but the text of a story may come as one. */
export const WORD_MIME = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ...Object.values(MEDIA).map((media): [string, string] => [media.mime, media.extension]),
  ['text/plain', 'txt'],
  [WORD_MIME, 'docx'],
]);

const DEMUXERS: ReadonlyMap<string, string | undefined> = new Map(
  Object.values(MEDIA).map((media) => [media.mime, media.demuxer]),
);

/** File name extension (without the dot) of a stored media type. */
export function extensionOf(mime: string): string {
  return EXTENSIONS.get(mime) ?? 'bin';
}

/** ffmpeg's input format for a stored media type, so that it never guesses; undefined when it is not for ffmpeg. */
export function demuxerOf(mime: string): string | undefined {
  return DEMUXERS.get(mime);
}

/** Reads magic bytes. `head` is the start of the file, of {@link SNIFFED_BYTES} when it is that long. Undefined: not an accepted medium. */
export async function sniffMedia(head: Uint8Array): Promise<Sniffed | undefined> {
  // Own rule: the picture inside a tag may be longer than the head, so what follows the tag cannot be seen. Only MP3
  // uses such tags in practice, and ffprobe reads the file as MP3 before it is believed.
  if (startsWith(head, 'ID3')) return MEDIA['audio/mpeg'];
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (!type || type.ext === 'mp1' || type.ext === 'mp2') return undefined;
  return MEDIA[type.mime];
}

/** What refused bytes look like, in one or two words for the message. Never decides anything. */
export async function describeHead(head: Uint8Array): Promise<string> {
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  const text = asText(head);
  if (text !== undefined) {
    const start = text
      .replace(/^\ufeff/, '')
      .trimStart()
      .slice(0, 2_000);
    if (/<svg[\s>]/i.test(start)) return 'SVG';
    if (/^<(!doctype\s+html|html|head|body|script)\b/i.test(start)) return 'HTML';
    if (start.startsWith('<?xml')) return 'XML';
    if (/^[[{]/.test(start)) return 'JSON';
    if (type === undefined) return 'plain text';
  }
  return type ? `a ${type.ext.toUpperCase()} file` : 'an unknown format';
}

/** Streaming check that bytes are text: valid UTF-8 without NUL, whatever the chunk boundaries. */
export function createTextCheck(): { push(chunk: Uint8Array): boolean; end(): boolean } {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let good = true;
  const decode = (chunk: Uint8Array | undefined) => {
    if (!good) return false;
    try {
      if (chunk?.includes(0)) good = false;
      else decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      good = false;
    }
    return good;
  };
  return { push: (chunk) => decode(chunk), end: () => decode(undefined) };
}

function startsWith(head: Uint8Array, ascii: string): boolean {
  return Buffer.from(head.subarray(0, ascii.length)).toString('latin1') === ascii;
}

/** The head as text, or undefined for binary. A character cut by the end of the head does not count against it. */
function asText(head: Uint8Array): string | undefined {
  if (head.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return undefined;
  }
}
