import { hashText } from '../media/seeded-random.ts';
import { readTalkDirectives } from './directives.ts';
import { writeStoryboard } from './storyboard.ts';
import { firstText, type Talk, type TalkAnswer, turnsTaken } from './talk.ts';
import { nextRound } from './worker.ts';

/**
 * What the language model says next in a conversation with tools: a storyboard where one can be saved, otherwise the
 * worker's next step.
 *
 * @throws ApiError 400 for a directive that cannot be understood
 */
export function answerTalk(talk: Talk): TalkAnswer {
  const source = firstText(talk);
  const directives = readTalkDirectives(source);
  const board = talk.tools.find((tool) => tool.name === 'save_storyboard');
  if (!board) return withIds(talk, source, nextRound(talk, directives));
  const json = writeStoryboard(talk, board, directives);
  if (directives.storyboardAsText) return { text: json, calls: [] };
  return withIds(talk, source, { text: '', calls: [{ name: board.name, arguments: json }] });
}

/** Ids that no other answer of the conversation has, and that are the same when it is asked for again. */
function withIds(
  talk: Talk,
  source: string,
  round: { text: string; calls: { name: string; arguments: string }[] },
): TalkAnswer {
  const turn = turnsTaken(talk);
  const calls = round.calls.map((call, index) => ({
    id: `call_${hashText(JSON.stringify([source, turn, index])).slice(0, 24)}`,
    ...call,
  }));
  return { text: round.text, calls };
}
