import sharp from 'sharp';
import type { Kind } from '#server/generation/status.ts';
import type { AssetStore } from './asset-store.ts';
import { MAX_DECODED_PIXELS, withImageSlot } from './measure-media.ts';
import { type MediaTools, mediaTools } from './media-tools.ts';
import { demuxerOf } from './sniff.ts';

export type PreviewInput = { storageKey: string; kind: Kind; mime: string; signal?: AbortSignal };

/** Longest side of a preview, in pixels. */
const MAX_SIDE = 512;

const MAX_PREVIEW_BYTES = 2_000_000;

/** Seconds into the video, tried in order: the very first frame is often black. */
const POSTER_SECONDS = ['0.5', '0'];

const POSTER_LIMITS = { timeoutMs: 60_000, maxOutputBytes: 8_000_000 };

/**
 * Stores a small WebP beside an image (thumbnail) or a video (a frame of it). Decoding runs in worker threads and in
 * a child process, never on the event loop. Idempotent: the key follows from the output's key. Undefined: there is
 * nothing to preview, or the file cannot be decoded.
 *
 * @throws StorageError when the store fails, and the signal's reason; never because of what is in the file
 */
export async function makePreview(
  store: AssetStore,
  input: PreviewInput,
  tools: MediaTools = mediaTools(),
): Promise<{ storageKey: string } | undefined> {
  if (input.kind !== 'image' && input.kind !== 'video') return undefined;
  const webp = await store.withLocalFile(input.storageKey, async (path) => {
    if (input.kind === 'image') return toWebp(path);
    const frame = await grabFrame(tools, { path, mime: input.mime, signal: input.signal });
    return frame && toWebp(frame);
  });
  if (!webp) return undefined;
  const storageKey = `${input.storageKey}.preview.webp`;
  await store.put(storageKey, oneChunk(webp), { maxBytes: MAX_PREVIEW_BYTES, signal: input.signal });
  return { storageKey };
}

async function toWebp(image: string | Buffer): Promise<Buffer | undefined> {
  return withImageSlot(async () => {
    try {
      return await sharp(image, {
        limitInputPixels: MAX_DECODED_PIXELS,
        failOn: 'truncated',
        sequentialRead: true,
      })
        .autoOrient()
        .resize(MAX_SIDE, MAX_SIDE, { fit: 'inside', withoutEnlargement: true })
        .webp({ quality: 80 })
        .toBuffer();
    } catch {
      return undefined;
    }
  });
}

async function grabFrame(
  tools: MediaTools,
  file: { path: string; mime: string; signal: AbortSignal | undefined },
): Promise<Buffer | undefined> {
  const demuxer = demuxerOf(file.mime);
  if (!demuxer) return undefined;
  const scale = `scale=w='min(${MAX_SIDE},iw)':h='min(${MAX_SIDE},ih)':force_original_aspect_ratio=decrease`;
  for (const seconds of POSTER_SECONDS) {
    const input = [
      '-max_pixels',
      String(MAX_DECODED_PIXELS),
      '-f',
      demuxer,
      '-ss',
      seconds,
      '-i',
      `file:${file.path}`,
    ];
    const picture = ['-map', '0:v:0', '-frames:v', '1', '-vf', scale, '-threads', '1'];
    const output = ['-f', 'image2pipe', '-c:v', 'png', 'pipe:1'];
    const result = await tools.run('ffmpeg', [...input, ...picture, ...output], {
      ...POSTER_LIMITS,
      signal: file.signal,
    });
    if (result.type === 'unavailable') return undefined;
    if (result.code === 0 && result.stdout.byteLength > 0) return result.stdout;
  }
  return undefined;
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
