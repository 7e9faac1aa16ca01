import { z } from 'zod';

/** What we read of the gateway's answers; a field of a wrong type counts as absent. */
const optionalText = z.string().optional().catch(undefined);
const list = z.array(z.unknown()).optional().catch(undefined);

/** `POST /mj/submit/imagine`: the verdict is in `code`, whatever the HTTP status. */
export const imagineAnswer = z.looseObject({
  code: z.union([z.number(), z.string()]).optional().catch(undefined),
  description: optionalText,
  result: z.unknown().optional(),
});

/** A Midjourney task, as `fetch` and `list-by-condition` give it. */
export const imagineTask = z.looseObject({
  id: z.unknown().optional(),
  state: optionalText,
  imageUrl: optionalText,
  imageUrls: list,
});

/** One of the two clips of a Suno task; some gateways write its fields in camel case. */
export const sunoClip = z.looseObject({
  status: z.unknown().optional(),
  audio_url: optionalText,
  audioUrl: optionalText,
});
export type SunoClip = z.infer<typeof sunoClip>;
