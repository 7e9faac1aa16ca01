import type { Conversation } from '../conversation/schemas.ts';

/** Characters of what counts towards the window of a language model: tools are counted apart. Pure. */
export const sizeOf = (conversation: Pick<Conversation, 'instructions' | 'turns'>): number =>
  JSON.stringify({ instructions: conversation.instructions, turns: conversation.turns }).length;
