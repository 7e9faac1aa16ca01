import { findBehaviour } from '../attachments.ts';
import { countTokens, writeProse } from '../media/prose.ts';
import type { Job } from '../state.ts';
import { answerTalk } from '../talk/answer.ts';
import type { Call, Talk, TalkAnswer } from '../talk/talk.ts';

/** What the language model of `/v1/responses` and `/v1/chat/completions` answers. */

export type TextRequest = {
  limitTokens: number | null;
  instructions: string | null;
  metadata: Record<string, string> | null;
  background: boolean;
  /** The answer of a conversation with tools and the tokens that went in; null: prose about the prompt. */
  talk: { answer: TalkAnswer; inputTokens: number } | null;
};

export const textRequestOf = (job: Job) => job.request as TextRequest;

/** Answers a conversation that has tools; one without is no different from a prompt. */
export function talkOf(talk: Talk): TextRequest['talk'] {
  if (talk.tools.length === 0) return null;
  return { answer: answerTalk(talk), inputTokens: countTokens(JSON.stringify(talk)) };
}

type Written = TalkAnswer & {
  cutBy: 'max_output_tokens' | 'content_filter' | null;
  tokens: { input: number; output: number };
};

const lengthOf = ({ text, calls }: TalkAnswer) =>
  calls.reduce((sum, call) => sum + call.arguments.length, text.length);

/** The text first, then the arguments of the calls; the last call that began is cut. */
function cutTo({ text, calls }: TalkAnswer, room: number): TalkAnswer {
  let left = room - text.length;
  const kept: Call[] = [];
  for (const call of calls) {
    if (left <= 0) break;
    kept.push({ ...call, arguments: call.arguments.slice(0, left) });
    left -= call.arguments.length;
  }
  return { text: text.slice(0, room), calls: kept };
}

/** The answer as far as the limit and the behaviours let it come. */
export function writtenBy(job: Job): Written {
  const { talk, limitTokens } = textRequestOf(job);
  const whole = talk?.answer ?? { text: writeProse(job.text), calls: [] };
  const length = lengthOf(whole);
  const incomplete = findBehaviour(job.behaviours, 'incomplete');
  const room = incomplete ? Math.floor(length / 2) : (limitTokens ?? Number.POSITIVE_INFINITY) * 4;
  const written = cutTo(whole, room);
  const output = countTokens(written.text + written.calls.map((call) => call.arguments).join(''));
  return {
    ...written,
    cutBy: room < length ? (incomplete?.reason ?? 'max_output_tokens') : null,
    tokens: { input: talk?.inputTokens ?? countTokens(job.prompt), output },
  };
}
