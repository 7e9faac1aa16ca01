import { sizeOf } from '../composite/conversation-size.ts';
import type { Conversation, ConversationTurn, ToolCall, ToolDefinition } from '../conversation/schemas.ts';
import { cutText } from './cut-text.ts';

/**
 * The conversation of the next turn, kept within the window of the language model: first old results are shortened, then
 * whole rounds are left out, the oldest first. Goal and instructions always stay, and a call never loses its result. Pure.
 */

/** An answer of the model with what came of its calls, one result per call. */
export type Round = {
  text: string;
  calls: { call: ToolCall; told: string }[];
  /** What the model is told in words of its own turn, where it called nothing. */
  remark: string | null;
};

export type ConversationParts = {
  instructions: string;
  goal: string;
  tools: ToolDefinition[];
  /** Oldest first. */
  rounds: readonly Round[];
  /** What was made so far, a line each, newest last: it is told again when rounds are left out. */
  made: readonly string[];
  /** Characters of instructions and turns together, as JSON. */
  windowCharacters: number;
};

/** What an old result is shortened to. */
const SHORT = 200;
const MOST_MADE_CHARACTERS = 400;
/** Room that must be left beside instructions and goal, for a note and a short last round. */
export const LEAST_ROOM = 1_200;

export function buildConversation(parts: ConversationParts): Conversation {
  const { instructions, tools, windowCharacters } = parts;
  const rounds = [...parts.rounds];
  let dropped = 0;
  const turns = () => toTurns(parts, rounds, dropped);
  const fits = () => sizeOf({ instructions, turns: turns() }) <= windowCharacters;

  for (let index = 0; index < rounds.length - 1 && !fits(); index += 1) {
    rounds[index] = shorten(rounds[index] as Round, SHORT);
  }
  while (rounds.length > 1 && !fits()) {
    rounds.shift();
    dropped += 1;
  }
  for (let most = windowCharacters >> 1; rounds.length > 0 && most > SHORT && !fits(); most >>= 1) {
    rounds[0] = shorten(rounds[0] as Round, most);
  }
  if (rounds.length > 0 && !fits()) {
    rounds.shift();
    dropped += 1;
  }
  return { instructions, turns: turns(), tools };
}

function toTurns(
  { goal, made }: ConversationParts,
  rounds: readonly Round[],
  dropped: number,
): ConversationTurn[] {
  const first: ConversationTurn = {
    role: 'user',
    text: dropped === 0 ? goal : `${goal}\n\n${noteOf(dropped, made)}`,
  };
  return [first, ...rounds.flatMap(turnsOf)];
}

function turnsOf({ text, calls, remark }: Round): ConversationTurn[] {
  return [
    { role: 'assistant', text, toolCalls: calls.map(({ call }) => call) },
    ...calls.map(
      ({ call, told }): ConversationTurn => ({
        role: 'tool',
        callId: call.id,
        name: call.name,
        text: told,
      }),
    ),
    ...(remark === null ? [] : [{ role: 'user' as const, text: remark }]),
  ];
}

function noteOf(dropped: number, made: readonly string[]): string {
  const kept: string[] = [];
  let characters = 0;
  for (const line of made.toReversed()) {
    characters += line.length + 1;
    if (characters > MOST_MADE_CHARACTERS) break;
    kept.unshift(line);
  }
  const soFar = kept.length === 0 ? '' : ` Made so far:\n${kept.join('\n')}`;
  return `[${dropped} earlier ${dropped === 1 ? 'round is' : 'rounds are'} left out here for want of room.${soFar}]`;
}

const shorten = (round: Round, most: number): Round => ({
  ...round,
  text: cutText(round.text, most),
  calls: round.calls.map(({ call, told }) => ({ call, told: cutText(told, most) })),
});
