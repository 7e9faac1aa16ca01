import { z } from 'zod';
import { usageSchema as usage } from '../schemas.ts';

/**
 * The parts of OpenAI's answers that we read, as loosely as the gateways write them: a field of a wrong type counts as
 * absent and never makes an answer unreadable.
 */
const optionalText = z.string().optional().catch(undefined);
const list = z.array(z.unknown()).optional().catch(undefined);

/** `POST /images/generations`, `/images/edits`. */
export const imagesAnswer = z.looseObject({ data: list, usage });
export const imageItem = z.looseObject({ b64_json: optionalText, url: optionalText });

/** `POST /responses`, `GET /responses/{id}`, `POST /responses/{id}/cancel`. */
export const responseObject = z.looseObject({
  status: z.unknown().optional(),
  output: list,
  output_text: optionalText,
  incomplete_details: z.looseObject({ reason: optionalText }).optional().catch(undefined),
  usage,
});
export type ResponseObject = z.infer<typeof responseObject>;
export const outputItem = z.looseObject({ type: optionalText, content: list });
export const contentPart = z.looseObject({ type: optionalText, text: optionalText, refusal: optionalText });

/** `POST /chat/completions`. */
export const chatCompletion = z.looseObject({ choices: list, usage });
export const chatChoice = z.looseObject({
  finish_reason: optionalText,
  message: z
    .looseObject({
      content: z.unknown().optional(),
      refusal: optionalText,
      tool_calls: list,
      /** Gateways from before `tool_calls`. */
      function_call: z.unknown().optional(),
    })
    .optional()
    .catch(undefined),
});
export type ChatChoice = z.infer<typeof chatChoice>;

/** The items that have the shape; the others are left out. */
export function parseEach<T>(items: readonly unknown[], schema: z.ZodType<T>): T[] {
  return items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
