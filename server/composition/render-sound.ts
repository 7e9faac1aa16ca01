import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Encoder, forcedInput } from './encoder.ts';
import { FilmFault } from './film-fault.ts';
import { exists } from './fonts.ts';
import type { OpenedMedia } from './open-media.ts';

/** Raw sound as the film's: 16 bit, two channels. */
export const SAMPLE_RATE = 48_000;
const BYTES_PER_MS = (SAMPLE_RATE * 4) / 1_000;

export type Sound = { file: string; lengthMs: number };

/** Arguments that open raw sound of this module. */
export function soundInput(file: string, extra: readonly string[] = []): string[] {
  return forcedInput('s16le', file, ['-ar', String(SAMPLE_RATE), '-ac', '2', ...extra]);
}

/**
 * Decodes narration or music into raw sound of the film's kind, whose length is exactly known, unlike what the headers
 * of many formats say. One that is there already is taken over.
 */
export async function decodeSound(
  media: OpenedMedia,
  options: { workDir: string; encoder: Encoder; maxMs: number; subject: string },
): Promise<Sound> {
  const key = createHash('sha256').update(JSON.stringify([media.hash, media.mime, options.maxMs]));
  const file = `sound-${key.digest('hex').slice(0, 32)}.pcm`;
  const path = join(options.workDir, file);
  if (!(await exists(path))) {
    await options.encoder.run({
      args: [
        ...forcedInput(media.demuxer, `file:${media.path}`, ['-t', String(options.maxMs / 1_000)]),
        ...['-map', '0:a:0', '-vn', '-sn', '-dn'],
        ...['-ar', String(SAMPLE_RATE), '-ac', '2', '-c:a', 'pcm_s16le'],
      ],
      output: file,
      format: 's16le',
      maxBytes: options.maxMs * BYTES_PER_MS + 1_000_000,
      subject: options.subject,
    });
  }
  const lengthMs = (await stat(path)).size / BYTES_PER_MS;
  if (lengthMs === 0) throw new FilmFault('failed', `${options.subject} holds no sound. Make it again.`);
  return { file, lengthMs };
}

/**
 * Writes one long sound of exactly `totalMs` with every voice at its place and silence between.
 *
 * @returns its name in `workDir`
 */
export async function placeVoices(
  voices: readonly { file: string; startMs: number }[],
  { workDir, totalMs, signal }: { workDir: string; totalMs: number; signal: AbortSignal },
): Promise<string> {
  const file = 'narration.pcm';
  const path = join(workDir, file);
  const handle = await open(path, 'w');
  try {
    // Silence takes no room on most disks.
    await handle.truncate(totalMs * BYTES_PER_MS);
  } finally {
    await handle.close();
  }
  for (const { file: voice, startMs } of voices) {
    const place = createWriteStream(path, { flags: 'r+', start: startMs * BYTES_PER_MS });
    await pipeline(createReadStream(join(workDir, voice)), place, { signal });
  }
  return file;
}
