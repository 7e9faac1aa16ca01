import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_DECODED_PIXELS } from '#server/storage/measure-media.ts';
import { type Encoder, forcedInput } from './encoder.ts';
import type { FilmOrder } from './film.ts';
import { FilmFault } from './film-fault.ts';
import { fitPicture } from './fit-picture.ts';
import { exists } from './fonts.ts';
import type { OpenedMedia } from './open-media.ts';

const POSTER_FILE = 'poster.webp';

/** Seconds into the clip, tried in order: the very first frame is often black. */
const POSTER_SECONDS = ['0.5', '0'];

const FRAME_BYTES = 400_000_000;

/**
 * A WebP of the film's size from the first shot, without captions.
 *
 * @returns its path
 */
export async function makePoster(
  visual: { type: 'clip' | 'picture'; media: OpenedMedia },
  { workDir, encoder, size }: { workDir: string; encoder: Encoder; size: FilmOrder['size'] },
): Promise<string> {
  const path = join(workDir, POSTER_FILE);
  const image =
    visual.type === 'picture' ? visual.media.path : await grabFrame(visual.media, workDir, encoder);
  try {
    await writeFile(`${path}.part`, await fitPicture(image, size, 'webp'));
    await rename(`${path}.part`, path);
  } catch (error) {
    throw new FilmFault('failed', 'The poster could not be made from the first shot. Make that shot again.', {
      cause: error,
    });
  } finally {
    await rm(`${path}.part`, { force: true });
  }
  return path;
}

async function grabFrame(media: OpenedMedia, workDir: string, encoder: Encoder): Promise<Buffer> {
  const output = 'frame.png';
  const path = join(workDir, output);
  for (const seconds of POSTER_SECONDS) {
    await encoder.run({
      args: [
        ...forcedInput(media.demuxer, `file:${media.path}`, [
          ...['-max_pixels', String(MAX_DECODED_PIXELS)],
          ...['-ss', seconds],
        ]),
        ...['-map', '0:v:0', '-an', '-frames:v', '1', '-vf', 'scale=w=iw*sar:h=ih,setsar=1', '-c:v', 'png'],
      ],
      output,
      format: 'image2pipe',
      maxBytes: FRAME_BYTES,
      subject: 'The poster',
    });
    const frame = (await exists(path)) ? await readFile(path) : Buffer.alloc(0);
    await rm(path, { force: true });
    if (frame.byteLength > 0) return frame;
  }
  throw new FilmFault('failed', 'Shot 1 has a clip without a picture. Make the clip again.');
}
