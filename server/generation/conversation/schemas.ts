import { z } from 'zod';

/**
 * What a language model is sent when its answer may be calls of tools. Neutral: adapters write it in their own format.
 * Isomorphic: imports zod only.
 */

const toolCall = z.object({
  /** As upstream named the call; its result refers to it. */
  id: z.string(),
  name: z.string(),
  /** The arguments as upstream wrote them: text that should be JSON, and may not be. */
  argumentsText: z.string(),
});
export type ToolCall = z.infer<typeof toolCall>;

export type ToolDefinition = {
  name: string;
  description: string;
  /** JSON Schema of the arguments; an object. */
  parameters: Record<string, unknown>;
};

export type ConversationTurn =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; toolCalls: ToolCall[] }
  /** What a call gave; every call of an assistant's turn has one before the next assistant's turn. */
  | { role: 'tool'; callId: string; name: string; text: string };

export type Conversation = {
  /** What the model is to do, said by the product; no text of users or of results. */
  instructions: string;
  /** Begins with a user's turn; the task's reference pictures go with it. */
  turns: ConversationTurn[];
  /** Empty: the answer is text only. */
  tools: ToolDefinition[];
};

/** The text output of a task that had a conversation is this, as JSON. */
export const conversationAnswer = z.object({
  text: z.string(),
  toolCalls: z.array(toolCall),
});
export type ConversationAnswer = z.infer<typeof conversationAnswer>;
