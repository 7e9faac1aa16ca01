import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_DECODED_PIXELS } from '#server/storage/measure-media.ts';
import { type Encoder, forcedInput } from './encoder.ts';
import type { FilmOrder } from './film.ts';
import { FilmFault } from './film-fault.ts';
import { CROPPED_DIFFERENCE, fitPicture } from './fit-picture.ts';
import { exists, FONTS_DIRECTORY } from './fonts.ts';
import type { OpenedMedia } from './open-media.ts';

type Size = FilmOrder['size'];

/** One stretch of the film: the title card or a shot. Segments of one film differ only in what they show. */
export type Segment = {
  subject: string;
  source:
    | { type: 'clip'; media: OpenedMedia }
    | { type: 'picture'; media: OpenedMedia; move: 'in' | 'out' }
    /** Bytes of a PNG of the film's size. */
    | { type: 'card'; png: Buffer };
  frames: number;
  fadeInFrames: number;
  fadeOutFrames: number;
  /** ASS that is drawn over the picture; null: nothing. */
  script: string | null;
};

export type SegmentOptions = {
  workDir: string;
  encoder: Encoder;
  size: Size;
  fps: number;
  maxBytes: number;
  signal: AbortSignal;
};

/** Grows when the look of segments changes, so that one of an older release is not taken over. */
const RECIPE_VERSION = 1;

/** A picture is moved over at this many times the film's size, so that the movement does not jitter. */
const ZOOM_CANVAS = 2;
const MOST_CANVAS_PIXELS = 9_000_000;

/** How much of the picture the slow zoom takes in, at its end. */
const ZOOM = 0.08;

/**
 * Makes the file of a segment: H.264 without sound, always `frames` long. A clip that is shorter holds its last frame.
 * One that is there already, from an earlier try in the same directory, is taken over.
 *
 * @returns the file's name in `workDir`
 */
export async function renderSegment(
  segment: Segment,
  options: SegmentOptions & { onShare(share: number): void },
): Promise<string> {
  const name = `segment-${keyOf(segment, options)}`;
  const output = `${name}.mp4`;
  if (await exists(join(options.workDir, output))) return output;
  const picture = `${name}.png`;
  const script = segment.script === null ? null : `${name}.ass`;
  try {
    if (segment.script !== null) await writeFile(join(options.workDir, `${name}.ass`), segment.script);
    const input = await inputOf(segment, { ...options, picture });
    const { frames } = await options.encoder.run({
      args: [
        ...input.args,
        ...['-map', '0:v:0', '-an', '-sn', '-dn'],
        ...[
          '-vf',
          [...input.filters, ...finish(segment, script)].join(','),
          '-frames:v',
          `${segment.frames}`,
        ],
        ...encoding(options.fps),
      ],
      output,
      format: 'mp4',
      maxBytes: options.maxBytes,
      subject: segment.subject,
      onProgress: (progress) => options.onShare(progress.frames / segment.frames),
    });
    if (frames < segment.frames) {
      await rm(join(options.workDir, output), { force: true });
      throw new FilmFault('failed', `${segment.subject} has a clip without a picture. Make the clip again.`);
    }
    return output;
  } finally {
    await Promise.all(
      [picture, script].map((file) => file && rm(join(options.workDir, file), { force: true })),
    );
  }
}

function keyOf(segment: Segment, { size, fps }: SegmentOptions): string {
  const { source, ...rest } = segment;
  const content =
    source.type === 'card'
      ? createHash('sha256').update(source.png).digest('hex')
      : [source.media.hash, source.media.mime, source.type === 'picture' && source.move];
  const { subject: _, ...look } = rest;
  const text = JSON.stringify([RECIPE_VERSION, source.type, content, look, size, fps]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

type Input = { args: string[]; filters: string[] };

async function inputOf(segment: Segment, options: SegmentOptions & { picture: string }): Promise<Input> {
  const { source, frames } = segment;
  if (source.type === 'clip') return clipInput(source.media, { ...options, frames });
  const { width, height } = options.size;
  const scale = source.type === 'card' ? 1 : canvasScale(options.size);
  const canvas = { width: width * scale, height: height * scale };
  const bytes = source.type === 'card' ? source.png : await decodePicture(source.media, canvas, segment);
  await writeFile(join(options.workDir, options.picture), bytes);
  const last = Math.max(1, frames - 1);
  const zoom = {
    card: '1',
    in: `1+${ZOOM}*on/${last}`,
    out: `1+${ZOOM}*(1-on/${last})`,
  }[source.type === 'card' ? 'card' : source.move];
  return {
    args: forcedInput('png_pipe', options.picture),
    filters: [
      COLOURS,
      'format=yuv420p',
      `zoompan=z='${zoom}':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2':d=${frames}:s=${width}x${height}:fps=${options.fps}`,
      'setsar=1',
    ],
  };
}

async function decodePicture(media: OpenedMedia, canvas: Size, segment: Segment): Promise<Buffer> {
  try {
    return await fitPicture(media.path, canvas, 'png');
  } catch {
    throw new FilmFault(
      'failed',
      `${segment.subject} has a picture that cannot be read; it may be damaged. Make the picture again.`,
    );
  }
}

function canvasScale({ width, height }: Size): number {
  return width * height * ZOOM_CANVAS ** 2 <= MOST_CANVAS_PIXELS ? ZOOM_CANVAS : 1;
}

/** Every segment has the same matrix and range, or players would change colours in the middle of the film. */
const COLOURS = 'scale=out_color_matrix=bt709:out_range=tv';

function clipInput(
  media: OpenedMedia,
  { size, fps, frames }: { size: Size; fps: number; frames: number },
): Input {
  const { width, height } = size;
  const seconds = frames / fps;
  // As in fitPicture: cut when the shape is nearly the film's, with bars when it is not. Clips may have oblong pixels.
  const [wide, high] = [`${width}/(iw*sar)`, `${height}/ih`];
  const close = `between((${high})/(${wide}),${1 / CROPPED_DIFFERENCE},${CROPPED_DIFFERENCE})`;
  const factor = `if(${close},max(${wide},${high}),min(${wide},${high}))`;
  return {
    args: forcedInput(media.demuxer, `file:${media.path}`, [
      ...['-max_pixels', String(MAX_DECODED_PIXELS)],
      ...['-t', (seconds + 1).toFixed(3)],
    ]),
    filters: [
      'setpts=PTS-STARTPTS',
      `fps=${fps}`,
      `scale=w='2*ceil(iw*sar*${factor}/2)':h='2*ceil(ih*${factor}/2)':out_color_matrix=bt709:out_range=tv`,
      `crop=w='min(iw,${width})':h='min(ih,${height})'`,
      `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`,
      'setsar=1',
      'format=yuv420p',
      `tpad=stop_mode=clone:stop_duration=${Math.ceil(seconds) + 1}`,
      `trim=end_frame=${frames}`,
    ],
  };
}

function finish(segment: Segment, script: string | null): string[] {
  const { frames, fadeInFrames, fadeOutFrames } = segment;
  return [
    // A relative name, made here: nothing that a user wrote is ever part of a filter.
    ...(script ? [`ass=filename=${script}:fontsdir=${FONTS_DIRECTORY}`] : []),
    ...(fadeInFrames > 0 ? [`fade=type=in:start_frame=0:nb_frames=${fadeInFrames}`] : []),
    ...(fadeOutFrames > 0
      ? [`fade=type=out:start_frame=${frames - fadeOutFrames}:nb_frames=${fadeOutFrames}`]
      : []),
    'format=yuv420p',
  ];
}

function encoding(fps: number): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '21', '-profile:v', 'high'],
    // Without B-frames segments can be joined without gaps in their times.
    ...['-bf', '0', '-g', String(fps * 2), '-r', String(fps)],
    ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
  ];
}
