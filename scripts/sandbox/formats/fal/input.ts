import { z } from 'zod';
import {
  count,
  type MediaOrder,
  ratioText,
  type Size,
  seconds,
  side,
  sizeOfRatio,
} from '../../media-order.ts';
import type { SandboxKind } from '../../rules.ts';
import type { Job } from '../../state.ts';

/** What is ordered from fal's queue, and what is kept of it. */

const PRESETS: Record<string, Size> = {
  square_hd: { width: 1_024, height: 1_024 },
  square: { width: 512, height: 512 },
  portrait_4_3: { width: 768, height: 1_024 },
  portrait_16_9: { width: 576, height: 1_024 },
  landscape_4_3: { width: 1_024, height: 768 },
  landscape_16_9: { width: 1_024, height: 576 },
};

/** What every model takes; a model's own inputs may stand beside it. */
export const input = z
  .looseObject({
    prompt: z.string().min(1).max(32_000).optional(),
    text: z.string().min(1).max(32_000).optional(),
    image_size: z.union([z.enum(Object.keys(PRESETS)), z.object({ width: side, height: side })]).optional(),
    num_images: count.optional(),
    // Models have words of their own for these, such as auto.
    aspect_ratio: ratioText.optional().catch(undefined),
    // "5", "5s" and 5 are all in use.
    duration: z
      .preprocess((value) => (typeof value === 'string' ? value.replace(/s$/, '') : value), seconds)
      .optional(),
    output_format: z.enum(['png', 'jpeg', 'webp']).optional().catch(undefined),
  })
  .refine(({ prompt, text }) => prompt !== undefined || text !== undefined, {
    path: ['prompt'],
    message: 'Field required',
  });

export type FalRequest = { app: string; order: MediaOrder };
export const requestOf = (job: Job) => job.request as FalRequest;
export const orderedBy = (job: Job) => requestOf(job).order.count;

/** The size that was ordered, if any, by preset, sides or ratio. */
export function sizeOf(kind: SandboxKind, fields: z.output<typeof input>): Partial<Size> {
  const { image_size: size, aspect_ratio: ratio } = fields;
  if (typeof size === 'object') return size;
  if (typeof size === 'string') return PRESETS[size] ?? {};
  return ratio === undefined ? {} : sizeOfRatio(kind, ratio);
}
