import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { composeArtwork, composeOrb, renderSvg } from './artwork.ts';
import { runFfmpeg } from './ffmpeg.ts';
import { choosePalette } from './palettes.ts';
import { createSeededRandom } from './seeded-random.ts';

export type MovieInput = { prompt: string; width: number; height: number; seconds: number };

const FRAMES_PER_SECOND = 20;
/** Room around the picture for the camera to move in. */
const OVERSCAN = 1.16;

const even = (value: number) => Math.ceil(value / 2) * 2;

/**
 * A playable MP4: H.264 (yuv420p, faststart) with a camera that drifts over the prompt's picture, two lights that
 * wander, and a soft AAC chord. The same input gives the same bytes.
 */
export async function renderMovie(input: MovieInput, target: string): Promise<void> {
  const { width, height, seconds } = input;
  const random = createSeededRandom(`movie\n${input.prompt}`);
  const palette = choosePalette(input.prompt, random);
  const wide = even(width * OVERSCAN);
  const high = even(height * OVERSCAN);
  const orbSize = even(Math.min(width, height) * 0.34);
  const directory = await mkdtemp(path.join(tmpdir(), 'sandbox-movie-'));
  try {
    const files = { scene: path.join(directory, 'scene.png'), orb: path.join(directory, 'orb.png') };
    const scene = composeArtwork({ prompt: input.prompt, ordinal: 0, width: wide, height: high });
    await writeFile(files.scene, await renderSvg(scene, 'png'));
    await writeFile(files.orb, await renderSvg(composeOrb(palette.light, orbSize), 'png'));

    // Whole turns within the clip, so it also loops without a jump.
    const turn = `2*PI*t/${seconds}`;
    const still = `loop=loop=-1:size=1:start=0,setpts=N/${FRAMES_PER_SECOND}/TB`;
    const pan = `crop=${width}:${height}:x='(iw-ow)/2*(1+sin(${turn}))':y='(ih-oh)/2*(1+cos(${turn}+${random.between(0, 3).toFixed(3)}))'`;
    const orbAt = (phase: number, reachX: number, reachY: number) =>
      `x='(W-w)/2+${(width * reachX).toFixed(1)}*sin(${turn}+${phase.toFixed(3)})':y='(H-h)/2+${(height * reachY).toFixed(1)}*cos(${turn}*2+${phase.toFixed(3)})'`;
    const picture = [
      `[0:v]${still},${pan},format=yuv420p[scene]`,
      `[1:v]${still},split[orb1][orb2]`,
      `[scene][orb1]overlay=${orbAt(random.between(0, 6), 0.36, 0.2)}:eval=frame[one]`,
      `[one][orb2]overlay=${orbAt(random.between(0, 6), 0.22, 0.32)}:eval=frame,format=yuv420p[picture]`,
    ].join(';');

    const root = random.pick([174.61, 196, 220, 246.94]);
    const voices = [1, 1.25, 1.5, 2].map(
      (ratio, index) =>
        `sin(2*PI*${(root * ratio).toFixed(2)}*t)*(0.6+0.4*sin(2*PI*${(0.21 + index * 0.13).toFixed(2)}*t))`,
    );
    const tone = `aevalsrc='0.09*(${voices.join('+')})':s=44100:d=${seconds},afade=t=in:d=0.15,afade=t=out:st=${Math.max(0, seconds - 0.4)}:d=0.4`;

    await runFfmpeg([
      ...['-framerate', String(FRAMES_PER_SECOND), '-i', files.scene],
      ...['-framerate', String(FRAMES_PER_SECOND), '-i', files.orb],
      ...['-f', 'lavfi', '-i', tone],
      ...['-filter_complex', picture, '-map', '[picture]', '-map', '2:a'],
      ...['-t', String(seconds), '-r', String(FRAMES_PER_SECOND)],
      ...[
        '-c:v',
        'libx264',
        '-preset',
        'ultrafast',
        '-crf',
        '27',
        '-pix_fmt',
        'yuv420p',
        '-g',
        '40',
        '-threads',
        '2',
      ],
      ...['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart'],
      // No encoder stamps and no clock in the file: the same prompt is the same file on the same ffmpeg.
      ...['-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact', '-map_metadata', '-1'],
      ...['-f', 'mp4', target],
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
