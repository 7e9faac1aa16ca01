import { z } from 'zod';

const text = z.string().optional().catch(undefined);

/** A generation as `POST /generations`, `GET /generations/{id}`, the list and the callback write it. */
export const generation = z.looseObject({
  id: z.unknown().optional(),
  state: z.union([z.string(), z.number()]).optional().catch(undefined),
  created_at: text,
  assets: z.looseObject({ video: text, image: text }).nullish().catch(undefined),
  request: z.looseObject({ callback_url: text }).nullish().catch(undefined),
});
export type Generation = z.infer<typeof generation>;

/** `GET /generations`. */
export const generationList = z.looseObject({
  generations: z.array(z.unknown()),
  has_more: z.boolean().optional().catch(undefined),
});
