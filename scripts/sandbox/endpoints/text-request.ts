import { z } from 'zod';
import type { Schema, Tool, Turn } from '../talk/talk.ts';
import { ApiError } from '../wire.ts';

/** What requests of `/v1/responses` and `/v1/chat/completions` have in common. */

export const TEXT_MODELS = /^(gpt-(?!image)|o\d|chatgpt-)/;

const textPart = z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() });
const otherPart = z.object({ type: z.enum(['input_image', 'input_file', 'image_url']) });
export const content = z.union([z.string(), z.array(z.union([textPart, otherPart]))]);
type Content = z.output<typeof content>;

export const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'has letters, digits, "_" and "-" only');
const parameters = z
  .record(z.string(), z.unknown())
  .refine((schema) => schema.type === 'object', 'must be a JSON Schema of an object');
/** A function as responses name it; chat completions put it into a field of its own. */
export const functionTool = z.strictObject({
  name: toolName,
  description: z.string().nullish(),
  parameters: parameters.nullish(),
  strict: z.boolean().nullish(),
});

export const sampling = {
  model: z.string().min(1),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  service_tier: z.string().nullish(),
  store: z.boolean().nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  // Streams are refused: nothing here reads one.
  stream: z.literal(false, 'streaming is not offered').nullish(),
};

/** The text of a message, without what is not text. */
export function textOf(value: Content | null | undefined): string {
  if (typeof value === 'string') return value;
  return (value ?? []).flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}

export function readTool(tool: z.output<typeof functionTool>): Tool {
  const schema: Schema = tool.parameters ?? { type: 'object', properties: {} };
  return { name: tool.name, parameters: schema };
}

/** All that the user said: what the behaviours of the prompt are read from. */
export function promptOf(turns: readonly Turn[]): string {
  const prompt = turns
    .flatMap((turn) => (turn.role === 'user' ? [turn.text] : []))
    .join('\n')
    .trim();
  if (!prompt)
    throw new ApiError(400, 'invalid_value', 'There is no text of the user in the input.', 'input');
  return prompt;
}
