import type { TaskView } from '#server/generation/schemas.ts';

/** A width and a height in any unit; only their ratio counts. */
export type Frame = { width: number; height: number };

/** What people ask for most, where nothing better is known. */
const FALLBACK: Record<TaskView['kind'], Frame> = {
  image: { width: 1, height: 1 },
  video: { width: 16, height: 9 },
  audio: { width: 4, height: 1 },
  text: { width: 4, height: 3 },
  agent: { width: 4, height: 3 },
  drama: { width: 16, height: 9 },
};

/**
 * The frame an output will most likely have, read from parameters such as `size: 1024x1536` or `aspect_ratio: 16:9`,
 * so that a place of the right shape is kept before the file exists.
 */
export function expectedFrame(kind: TaskView['kind'], params: Record<string, unknown>): Frame {
  if (kind === 'image' || kind === 'video' || kind === 'drama') {
    for (const value of Object.values(params)) {
      const match = typeof value === 'string' ? /^(\d{1,5})\s*[x×:]\s*(\d{1,5})$/i.exec(value.trim()) : null;
      const [width, height] = [Number(match?.[1]), Number(match?.[2])];
      if (width > 0 && height > 0) return { width, height };
    }
  }
  return FALLBACK[kind];
}

/** The frame of a stored output; the expected one where the file's size is not known. */
export function frameOf(
  output: { kind: TaskView['kind']; width: number | null; height: number | null },
  expected: Frame,
): Frame {
  return output.width && output.height ? { width: output.width, height: output.height } : expected;
}

const NARROWEST = 9 / 21;
const WIDEST = 21 / 9;

/** The frame of a tile: that of its file, but no splinter of a place for a banner. */
export function placeFrame(frame: Frame): Frame {
  const ratio = frame.width / frame.height;
  if (ratio >= NARROWEST && ratio <= WIDEST) return frame;
  return ratio < NARROWEST ? { width: 9, height: 21 } : { width: 21, height: 9 };
}
