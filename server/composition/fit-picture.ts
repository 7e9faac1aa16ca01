import sharp from 'sharp';
import { MAX_DECODED_PIXELS, withImageSlot } from '#server/storage/measure-media.ts';
import type { FilmOrder } from './film.ts';

type Size = FilmOrder['size'];

/** A picture whose shape differs from the film's by less loses its edges; any other gets bars and stays whole. */
export const CROPPED_DIFFERENCE = 1.15;

/**
 * The picture at exactly `size`, upright, without transparency. Runs in worker threads.
 *
 * @param image a path, or the bytes of a file
 * @throws when the picture cannot be decoded
 */
export function fitPicture(image: string | Buffer, size: Size, format: 'png' | 'webp'): Promise<Buffer> {
  return withImageSlot(async () => {
    const options = { limitInputPixels: MAX_DECODED_PIXELS, sequentialRead: true } as const;
    const { autoOrient } = await sharp(image, options).metadata();
    const difference = (autoOrient.width * size.height) / (autoOrient.height * size.width);
    const isClose = difference < CROPPED_DIFFERENCE && difference > 1 / CROPPED_DIFFERENCE;
    const fitted = sharp(image, { ...options, failOn: 'truncated' })
      .autoOrient()
      .resize(size.width, size.height, { fit: isClose ? 'cover' : 'contain', background: '#000' })
      .flatten({ background: '#000' })
      .toColourspace('srgb');
    return format === 'png'
      ? fitted.png({ compressionLevel: 1 }).toBuffer()
      : fitted.webp({ quality: 82 }).toBuffer();
  });
}

/** The ground of a title card: dark, a little lighter in the middle. */
export function drawTitleGround(size: Size): Promise<Buffer> {
  const { width, height } = size;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><radialGradient id="g" cx="0.5" cy="0.45" r="0.8"><stop offset="0" stop-color="#2a3342"/><stop offset="1" stop-color="#0b0e13"/></radialGradient></defs><rect width="${width}" height="${height}" fill="url(#g)"/></svg>`;
  return withImageSlot(() => sharp(Buffer.from(svg)).flatten().png({ compressionLevel: 1 }).toBuffer());
}
