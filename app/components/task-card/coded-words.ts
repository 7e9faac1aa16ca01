import type { CodedText, TaskEventView, TaskView } from '#server/generation/schemas.ts';
import type { Say } from './say.ts';

/** Sentences that the server names by code, in the page's language. A code that this page does not know is English. */

type Scope = 'waiting' | 'failures' | 'events';

/** Null when a text is missing: the server may be newer than the page. */
function sayCoded(say: Say, scope: Scope, coded: CodedText): string | null {
  const { code, values, and } = coded;
  const known = `${scope}.${code}` as 'waiting.sending';
  const text: string = say.states(known, told(say, values));
  if (text === known) return null;
  const second = and ? sayCoded(say, scope, and) : null;
  return second === null ? text : joined(say, text, second);
}

/** Chinese puts no space between sentences. */
const joined = ({ language }: Pick<Say, 'language'>, ...texts: string[]): string =>
  texts.filter(Boolean).join(language === 'zh-CN' ? '' : ' ');

function told(say: Say, values: CodedText['values']): CodedText['values'] {
  const { until } = values;
  return typeof until === 'string' && until !== '' ? { ...values, until: say.moment(until) } : values;
}

/** Why a task is not further; null for one that has ended. */
export function waitingSentence(
  say: Say,
  task: Pick<TaskView, 'waiting' | 'waitingReason' | 'queuePosition'>,
) {
  const { waitingReason, queuePosition } = task;
  if (waitingReason?.code === 'next_in_line' && queuePosition !== null && queuePosition > 1) {
    return say.states('place', { place: queuePosition });
  }
  return (waitingReason && sayCoded(say, 'waiting', waitingReason)) ?? task.waiting;
}

/** Why it failed. Agents and dramas say it in words of their own, which their own pages translate; elsewhere the code has to do. */
export function failureSentence(say: Say, failure: TaskView['failure']): string {
  if (!failure) return say.states('failures.none');
  if (failure.reason) return sayCoded(say, 'failures', failure.reason) ?? failure.message;
  if (say.language === 'en') return failure.message;
  return sayCoded(say, 'failures', { code: failure.code, values: {} }) ?? failure.message;
}

/** What happened to it. */
export function eventSentence(say: Say, { said, text }: Pick<TaskEventView, 'said' | 'text'>): string {
  if (!said) return text;
  if (said.code !== 'failed') return sayCoded(say, 'events', said) ?? text;
  const failure = { ...said, code: String(said.values.failure) };
  return sayCoded(say, 'failures', failure) ?? text;
}
