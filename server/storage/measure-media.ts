import sharp from 'sharp';
import { z } from 'zod';
import { createLimiter } from './limiter.ts';
import type { MediaTools } from './media-tools.ts';
import { demuxerOf, type MediaKind } from './sniff.ts';

/** What a file says about itself. `null`: not known. */
type Measures = { width: number | null; height: number | null; durationMs: number | null };

type MeasureResult = { type: 'measured'; measures: Measures } | { type: 'unreadable' };

/** Decoding more pixels than this costs too much memory; such images are kept but neither decoded nor previewed. */
export const MAX_DECODED_PIXELS = 100_000_000;

const UNKNOWN: Measures = { width: null, height: null, durationMs: null };

/** libvips threads per image and images at once: thumbnails must not take the CPU from the event loop's work. */
sharp.concurrency(1);
sharp.cache(false);
const CONCURRENT_IMAGES = 2;

/** Every use of sharp in the process goes through here. */
export const withImageSlot = createLimiter(CONCURRENT_IMAGES);

/**
 * Size and length of a media file on the local disk, and proof that it can be read: images are decoded once, video and
 * audio need a stream of their kind. Without a working ffprobe, video and audio pass unmeasured.
 */
export function measureMedia(
  tools: MediaTools,
  file: { path: string; kind: MediaKind; mime: string },
  signal?: AbortSignal,
): Promise<MeasureResult> {
  return file.kind === 'image' ? measureImage(file.path) : probe(tools, { ...file, kind: file.kind }, signal);
}

async function measureImage(path: string): Promise<MeasureResult> {
  return withImageSlot(async () => {
    try {
      const { autoOrient } = await sharp(path, { limitInputPixels: false }).metadata();
      const { width, height } = autoOrient;
      if (!width || !height) return { type: 'unreadable' };
      // A header alone proves nothing: a cut file has a good one.
      if (width * height <= MAX_DECODED_PIXELS) {
        await sharp(path, { limitInputPixels: MAX_DECODED_PIXELS, failOn: 'truncated', sequentialRead: true })
          .resize(16, 16, { fit: 'inside' })
          .raw()
          .toBuffer();
      }
      return { type: 'measured', measures: { width, height, durationMs: null } };
    } catch {
      return { type: 'unreadable' };
    }
  });
}

const probeOutput = z.object({
  streams: z
    .array(
      z.object({
        codec_type: z.string().optional(),
        width: z.number().optional(),
        height: z.number().optional(),
        duration: z.coerce.number().optional().catch(undefined),
        disposition: z.object({ attached_pic: z.number().optional() }).optional(),
      }),
    )
    .default([]),
  format: z.object({ duration: z.coerce.number().optional().catch(undefined) }).optional(),
});

/** Generous, because a time-out means "not measured", never "bad file". */
const PROBE_LIMITS = { timeoutMs: 60_000, maxOutputBytes: 1_000_000 };

/** A length that a file claims is believed up to a day. */
const MAX_DURATION_SECONDS = 86_400;

async function probe(
  tools: MediaTools,
  file: { path: string; kind: 'video' | 'audio'; mime: string },
  signal: AbortSignal | undefined,
): Promise<MeasureResult> {
  const demuxer = demuxerOf(file.mime);
  if (!demuxer) return { type: 'unreadable' };
  const entries = 'stream=codec_type,width,height,duration:stream_disposition=attached_pic:format=duration';
  const result = await tools.run(
    'ffprobe',
    ['-f', demuxer, '-show_entries', entries, '-of', 'json', '-i', `file:${file.path}`],
    { ...PROBE_LIMITS, signal },
  );
  if (result.type === 'unavailable') return { type: 'measured', measures: UNKNOWN };
  if (result.code !== 0) return { type: 'unreadable' };
  const parsed = probeOutput.safeParse(parseJson(result.stdout.toString()));
  if (!parsed.success) return { type: 'unreadable' };
  // A cover picture inside an audio file is listed as a video stream.
  const stream = parsed.data.streams.find(
    (candidate) => candidate.codec_type === file.kind && candidate.disposition?.attached_pic !== 1,
  );
  if (!stream) return { type: 'unreadable' };
  const seconds = parsed.data.format?.duration ?? stream.duration;
  const isLength = seconds !== undefined && seconds > 0 && seconds <= MAX_DURATION_SECONDS;
  return {
    type: 'measured',
    measures: {
      width: stream.width || null,
      height: stream.height || null,
      durationMs: isLength ? Math.round(seconds * 1_000) : null,
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
