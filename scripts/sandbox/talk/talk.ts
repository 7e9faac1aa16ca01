import { ApiError } from '../wire.ts';

/** A conversation with tools, as the sandbox's language model reads and continues it. It remembers nothing else. */

/** JSON Schema, as far as it is looked at. */
export type Schema = Record<string, unknown>;
export type Tool = { name: string; parameters: Schema };
export type Call = { id: string; name: string; arguments: string };

export type Turn =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: Call[] }
  | { role: 'tool'; callId: string; text: string };

export type Talk = { turns: Turn[]; tools: Tool[] };

/** What the model says next. */
export type TalkAnswer = { text: string; calls: Call[] };

/** Said behind the goal when the beginning of a long conversation was left out. */
const LEFT_OUT = /\s*\[(\d+) earlier rounds? (?:is|are) left out[\s\S]*$/;

const openingOf = ({ turns }: Talk): string => {
  const first = turns.find((turn) => turn.role === 'user');
  return first?.role === 'user' ? first.text : '';
};

/** The user's first words: the goal or the idea, with the directives. */
export const firstText = (talk: Talk): string => openingOf(talk).replace(LEFT_OUT, '');

/** How often the model has spoken, with what the first turn says was left out. */
export function turnsTaken(talk: Talk): number {
  const leftOut = Number(LEFT_OUT.exec(openingOf(talk))?.[1] ?? 0);
  return leftOut + talk.turns.filter((turn) => turn.role === 'assistant').length;
}

/** The tool results that the model has not answered yet. */
export function newResults(turns: readonly Turn[]): Extract<Turn, { role: 'tool' }>[] {
  const since = turns.findLastIndex((turn) => turn.role !== 'tool') + 1;
  return turns.slice(since).filter((turn) => turn.role === 'tool');
}

/** Refuses, as upstream does, calls without a result and results without a call. */
export function checkResults(turns: readonly Turn[], param: 'messages' | 'input'): void {
  let open = new Set<string>();
  const refuse = (message: string): never => {
    throw new ApiError(400, 'invalid_value', message, param);
  };
  for (const turn of turns) {
    if (turn.role === 'tool') {
      if (!open.delete(turn.callId)) refuse(`No tool call found for the tool output '${turn.callId}'.`);
      continue;
    }
    const [missing] = open;
    if (missing !== undefined) refuse(`No tool output found for the tool call '${missing}'.`);
    if (turn.role === 'assistant') open = new Set(turn.calls.map((call) => call.id));
  }
  const [missing] = open;
  if (missing !== undefined) refuse(`No tool output found for the tool call '${missing}'.`);
}
