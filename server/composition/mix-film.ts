import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { MediaTools } from '#server/storage/media-tools.ts';
import { type Encoder, forcedInput } from './encoder.ts';
import type { FilmOrder, FilmPlan } from './film.ts';
import { FilmFault } from './film-fault.ts';
import { SAMPLE_RATE, soundInput } from './render-sound.ts';

export const FILM_FILE = 'film.mp4';

/** How far the film's length may be from its plan. */
const TOLERANCE_MS = 200;

/** Music under a voice, as a share of its own loudness. */
const MUSIC_VOLUME = 0.5;

type Parts = {
  /** Names in `workDir`. */
  segments: readonly string[];
  narration: string;
  music: string | null;
  /** WebVTT for a track of its own. */
  softCaptions: string | null;
};

type MixOptions = {
  workDir: string;
  encoder: Encoder;
  plan: FilmPlan;
  fadeMs: number;
  maxBytes: number;
  onShare(share: number): void;
};

/** Joins the segments as they are, mixes the sound and writes the film with its index in front. */
export async function mixFilm(parts: Parts, options: MixOptions): Promise<void> {
  const { workDir, plan, encoder } = options;
  const list = ['ffconcat version 1.0', ...parts.segments.map((name) => `file ${name}`), ''].join('\n');
  await writeFile(join(workDir, 'segments.txt'), list);
  if (parts.softCaptions !== null) await writeFile(join(workDir, 'captions.vtt'), parts.softCaptions);

  const captionsInput = parts.music === null ? 2 : 3;
  const seconds = (plan.totalMs / 1_000).toFixed(3);
  await encoder.run({
    args: [
      ...forcedInput('concat', 'segments.txt', ['-safe', '1']),
      ...soundInput(parts.narration),
      // Short music is played again from its start.
      ...(parts.music === null ? [] : soundInput(parts.music, ['-stream_loop', '-1'])),
      ...(parts.softCaptions === null ? [] : forcedInput('webvtt', 'captions.vtt')),
      ...['-filter_complex', soundGraph(plan.totalMs, options.fadeMs, parts.music !== null)],
      ...['-map', '0:v:0', '-map', '[sound]', '-c:v', 'copy'],
      ...['-c:a', 'aac', '-b:a', '160k', '-ar', String(SAMPLE_RATE), '-ac', '2'],
      ...(parts.softCaptions === null ? [] : ['-map', `${captionsInput}:s:0`, '-c:s', 'mov_text']),
      ...['-t', seconds, '-movflags', '+faststart'],
    ],
    output: FILM_FILE,
    format: 'mp4',
    maxBytes: options.maxBytes,
    subject: 'The film',
    onProgress: (progress) => options.onShare((progress.seconds * 1_000) / plan.totalMs),
  });
}

/** Voice [1:a] over music [2:a] that steps back while somebody speaks; fades at both ends; never clipped. */
function soundGraph(totalMs: number, fadeMs: number, hasMusic: boolean): string {
  const seconds = totalMs / 1_000;
  const fade = Math.min(fadeMs, totalMs / 4) / 1_000;
  const ends = fade > 0 ? [`afade=t=in:st=0:d=${fade}`, `afade=t=out:st=${seconds - fade}:d=${fade}`] : [];
  const float = 'aformat=sample_fmts=flt:channel_layouts=stereo';
  const end = ['alimiter=limit=0.95:level=0', ...ends, `atrim=end=${seconds}`].join(',');
  if (!hasMusic) return `[1:a]${float},${end}[sound]`;
  return [
    // Without an end: some versions drop the last half second of what goes through a side chain.
    `[1:a]${float},apad,asplit=2[voice][key]`,
    `[2:a]${float},volume=${MUSIC_VOLUME}[music]`,
    '[music][key]sidechaincompress=threshold=0.02:ratio=8:attack=20:release=500[ducked]',
    // Added up, not averaged: versions of ffmpeg differ in how `amix` weighs its inputs.
    `[voice][ducked]amerge=inputs=2,pan=stereo|c0=c0+c2|c1=c1+c3,${end}[sound]`,
  ].join(';');
}

const probed = z.object({
  streams: z.array(
    z.object({
      codec_type: z.string().optional(),
      codec_name: z.string().optional(),
      width: z.number().optional(),
      height: z.number().optional(),
      duration: z.coerce.number().optional().catch(undefined),
    }),
  ),
  format: z.object({ duration: z.coerce.number() }),
});

/**
 * Reads the finished film and compares it with what was ordered.
 *
 * @returns its length in milliseconds
 * @throws FilmFault when the film is not what it should be
 */
export async function checkFilm(
  tools: MediaTools,
  { path, plan, order, signal }: { path: string; plan: FilmPlan; order: FilmOrder; signal: AbortSignal },
): Promise<number> {
  const entries = 'stream=codec_type,codec_name,width,height,duration:format=duration';
  const result = await tools.run(
    'ffprobe',
    ['-f', 'mov', '-show_entries', entries, '-of', 'json', '-i', `file:${path}`],
    { timeoutMs: 120_000, maxOutputBytes: 1_000_000, signal },
  );
  const film =
    result.type === 'exited' && result.code === 0 ? probed.safeParse(parseJson(result.stdout)) : undefined;
  if (!film?.success) throw bad('it cannot be read back');
  const stream = (type: string) => film.data.streams.find(({ codec_type }) => codec_type === type);
  const picture = stream('video');
  if (picture?.codec_name !== 'h264') throw bad('it has no picture');
  if (picture.width !== order.size.width || picture.height !== order.size.height)
    throw bad('its size is wrong');
  const sound = stream('audio');
  if (sound?.codec_name !== 'aac') throw bad('it has no sound');
  if (order.captions === 'soft' && hasWords(order) && !stream('subtitle')) throw bad('it has no captions');
  const { duration } = film.data.format;
  for (const seconds of [duration, picture.duration ?? duration, sound.duration ?? duration]) {
    if (Math.abs(seconds * 1_000 - plan.totalMs) > TOLERANCE_MS) {
      throw bad(`it lasts ${seconds.toFixed(1)} seconds instead of ${(plan.totalMs / 1_000).toFixed(1)}`);
    }
  }
  return Math.round(duration * 1_000);
}

export const hasWords = (order: FilmOrder) => order.shots.some(({ caption }) => caption.trim() !== '');

const bad = (why: string) =>
  new FilmFault(
    'failed',
    `The film did not turn out as planned: ${why}. Try again; what is finished is kept.`,
  );

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
