import { z } from 'zod';

const count = z.number().optional().catch(undefined);

/** Token counts as OpenAI and its imitators report them; a field of a wrong type counts as absent. */
export const usageSchema = z
  .looseObject({ input_tokens: count, output_tokens: count, prompt_tokens: count, completion_tokens: count })
  .optional()
  .catch(undefined);

export type UsageObject = z.infer<typeof usageSchema>;
