import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { demuxerOf, SNIFFED_BYTES, sniffMedia } from '#server/storage/sniff.ts';
import type { MediaFile } from './film.ts';
import { FilmFault } from './film-fault.ts';

/** What a part of a film must be made from. */
type Wanted = 'clip' | 'picture' | 'sound';

/** A file whose bytes are what they were stored as. `hash` names its content. */
export type OpenedMedia = MediaFile & { hash: string; demuxer: string };

const KINDS: Readonly<Record<Wanted, ReadonlySet<string>>> = {
  clip: new Set(['video']),
  picture: new Set(['image']),
  // A video without a picture track of its own is stored as a video, too.
  sound: new Set(['audio', 'video']),
};

const ACCEPTED: Readonly<Record<Wanted, string>> = {
  clip: 'an MP4, MOV or WebM video',
  picture: 'a PNG, JPEG, WebP, GIF or AVIF image',
  sound: 'an MP3, WAV, OGG, FLAC, AAC or M4A file',
};

/**
 * Checks a file before anything decodes it, by its first bytes and by the type it was stored as.
 *
 * @param subject for messages, e.g. "The narration of shot 2"
 * @throws FilmFault when the type is not one for films or the bytes are of another type
 */
export async function openMedia(
  file: MediaFile,
  { wanted, subject, signal }: { wanted: Wanted; subject: string; signal: AbortSignal },
): Promise<OpenedMedia> {
  const kind = file.mime.split('/')[0] ?? '';
  const demuxer = wanted === 'picture' ? 'png_pipe' : demuxerOf(file.mime);
  if (!KINDS[wanted].has(kind) || !demuxer) {
    throw new FilmFault(
      'failed',
      `${subject} has the type ${describeType(file.mime)}, which a film cannot use. It must be ${ACCEPTED[wanted]}.`,
    );
  }
  const sniffed = await sniffMedia(await readHead(file.path, subject));
  const same = wanted === 'picture' ? sniffed?.mime === file.mime : sniffed?.demuxer === demuxer;
  if (!same) {
    throw new FilmFault(
      'failed',
      `${subject} is not the ${describeType(file.mime)} file that it was stored as. Make it again.`,
    );
  }
  return { ...file, demuxer, hash: await hashFile(file.path, signal) };
}

async function readHead(path: string, subject: string): Promise<Uint8Array> {
  try {
    const handle = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    throw new FilmFault('failed', `${subject} cannot be read from storage. Try again, or make it again.`);
  }
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { signal })) hash.update(chunk);
  return hash.digest('hex');
}

const describeType = (mime: string) => mime.replace(/[^\w/.+;= -]/g, '').slice(0, 60) || 'unknown';
