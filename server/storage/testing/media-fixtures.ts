import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { mediaTools } from '../media-tools.ts';

/** Real small media, made by the same tools that read them. */
export function makeImage(
  format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif',
  width = 40,
  height = 30,
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#c04020' } })
    .toFormat(format)
    .toBuffer();
}

const VIDEO = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=1'];
const AUDIO = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=1'];

/** ffmpeg's arguments for one second of each format. */
const RECIPES = {
  mp4: [...VIDEO, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-movflags', '+faststart'],
  mov: [...VIDEO, '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
  webm: [...VIDEO, '-c:v', 'libvpx', '-b:v', '100k'],
  mkv: [...VIDEO, '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
  mp3: [...AUDIO, '-c:a', 'libmp3lame'],
  wav: AUDIO,
  ogg: [...AUDIO, '-c:a', 'libvorbis'],
  opus: [...AUDIO, '-c:a', 'libopus'],
  flac: AUDIO,
  aac: [...AUDIO, '-c:a', 'aac', '-f', 'adts'],
  m4a: [...AUDIO, '-c:a', 'aac', '-f', 'ipod'],
  /** An MP4 without any picture. */
  'silent-picture.mp4': [...AUDIO, '-c:a', 'aac'],
} as const;

export type MediaFormat = keyof typeof RECIPES;

export async function makeMedia(format: MediaFormat): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'sidelane-fixture-'));
  try {
    const path = join(directory, `file.${format}`);
    const result = await mediaTools().run('ffmpeg', [...RECIPES[format], path], {
      timeoutMs: 60_000,
      maxOutputBytes: 10_000,
    });
    if (result.type !== 'exited' || result.code !== 0)
      throw new Error(`No fixture ${format}: ${JSON.stringify(result)}`);
    return await readFile(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
