import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createMediaCache } from '#scripts/sandbox/media/media-cache.ts';
import { mediaTools } from '#server/storage/media-tools.ts';
import type { ComposeOptions } from '../compose-film.ts';
import type { FilmOrder, MediaFile } from '../film.ts';

/** Made once and shared by all test files. */
const maker = createMediaCache(resolve('.data/sandbox-media'));

export const SIZE = { width: 320, height: 180 };

export const makeClip = (prompt = 'a lighthouse by the sea', seconds = 1): Promise<MediaFile> =>
  maker.movie({ prompt, ...SIZE, seconds });

export const makePicture = (format: 'png' | 'jpeg' | 'webp' = 'jpeg'): Promise<MediaFile> =>
  maker.image({ prompt: 'a fox on a mountain', ordinal: 0, width: 400, height: 225, format });

export const makeVoice = (format: 'mp3' | 'wav' | 'opus' = 'mp3'): Promise<MediaFile> =>
  maker.sound({ text: 'The light has burned for a hundred years.', voice: 'alloy', speed: 1.5, format });

/** One tone, so that its loudness in a mix can be told from others. */
export async function makeTone(
  directory: string,
  { hertz, seconds }: { hertz: number; seconds: number },
): Promise<MediaFile> {
  const path = join(directory, `tone-${hertz}.wav`);
  await runFfmpeg(['-f', 'lavfi', '-i', `sine=frequency=${hertz}:duration=${seconds}`, '-y', path]);
  return { path, mime: 'audio/wav' };
}

/** A film of one second per shot, unless `changes` say otherwise. */
export function orderOf(shots: FilmOrder['shots'], changes: Partial<FilmOrder> = {}): FilmOrder {
  return {
    title: '',
    size: SIZE,
    fps: 10,
    titleCardSeconds: 0,
    fadeMs: 0,
    captions: 'none',
    shots,
    music: null,
    ...changes,
  };
}

export async function clipShot(changes: Partial<FilmOrder['shots'][number]> = {}) {
  const visual = { type: 'clip' as const, ...(await makeClip()) };
  return { id: 'one', visual, voice: null, seconds: 1, caption: '', ...changes };
}

export const optionsFor = (workDir: string, changes: Partial<ComposeOptions> = {}): ComposeOptions => ({
  workDir,
  signal: new AbortController().signal,
  onProgress: () => {},
  ...changes,
});

/** ffmpeg's standard output. @throws Error when it fails */
export async function runFfmpeg(args: readonly string[]): Promise<Buffer> {
  const result = await mediaTools().run('ffmpeg', args, { timeoutMs: 120_000, maxOutputBytes: 100_000_000 });
  if (result.type !== 'exited' || result.code !== 0) throw new Error(JSON.stringify(result));
  return result.stdout;
}

/** The brightness of every pixel of one frame, row by row. */
export function grabGrey(path: string, seconds: number): Promise<Buffer> {
  const frame = ['-frames:v', '1', '-pix_fmt', 'gray', '-f', 'rawvideo', 'pipe:1'];
  return runFfmpeg(['-ss', String(seconds), '-i', path, '-map', '0:v:0', ...frame]);
}

/** The sound of a film: 16 bit samples of one channel, 48 000 in a second. */
export async function grabSound(path: string): Promise<Int16Array> {
  const bytes = await runFfmpeg([
    '-i',
    path,
    '-map',
    '0:a:0',
    '-ac',
    '1',
    '-ar',
    '48000',
    '-f',
    's16le',
    'pipe:1',
  ]);
  return new Int16Array(new Uint8Array(bytes).buffer);
}

/** Loudness of one tone between two moments in seconds (Goertzel's algorithm). */
export function loudnessOf(samples: Int16Array, hertz: number, [from, to]: [number, number]): number {
  const part = samples.subarray(Math.round(from * 48_000), Math.round(to * 48_000));
  const turn = 2 * Math.cos((2 * Math.PI * hertz) / 48_000);
  let [one, two] = [0, 0];
  for (const sample of part) [one, two] = [sample + turn * one - two, one];
  return Math.sqrt(Math.max(0, one * one + two * two - turn * one * two)) / part.length;
}

/** Names of the top boxes of an MP4, in order. */
export async function boxesOf(path: string): Promise<string[]> {
  const bytes = await readFile(path);
  const names: string[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    names.push(bytes.toString('latin1', at + 4, at + 8));
    if (size < 8) break;
    at += size;
  }
  return names;
}

/** Streams of a file as `type codec`. */
export async function streamsOf(path: string): Promise<string[]> {
  const args = ['-show_entries', 'stream=codec_type,codec_name', '-of', 'json', '-i', path];
  const result = await mediaTools().run('ffprobe', args, { timeoutMs: 120_000, maxOutputBytes: 100_000 });
  if (result.type !== 'exited') throw new Error(result.reason);
  const { streams } = JSON.parse(result.stdout.toString()) as {
    streams: { codec_type: string; codec_name: string }[];
  };
  return streams.map((stream) => `${stream.codec_type} ${stream.codec_name}`);
}

/** Process ids whose command line names `word`. */
export async function processesNaming(word: string): Promise<string[]> {
  if (!existsSync('/proc/self')) {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,args=']);
    return stdout.split('\n').filter((line) => line.includes(word));
  }
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const named = await Promise.all(
    ids.map(async (id) =>
      (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).includes(word) ? id : undefined,
    ),
  );
  return named.filter((id) => id !== undefined);
}
