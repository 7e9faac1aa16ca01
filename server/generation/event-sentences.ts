import { fillSentence } from './coded-text.ts';
import type { CodedText } from './schemas.ts';

/** What happened to a task, in English by code. Pages have the same sentences in every language (`states`). */
export const EVENT_SENTENCES = {
  submitted: 'Submitted; the credits are held.',
  submitted_free: 'Submitted; nothing is held yet.',
  submitted_step: 'Started as a step of a larger task; its price is set aside.',
  waiting: 'Waiting.',
  waiting_children: 'Goes on with its steps.',
  waiting_user: 'Waits for you.',
  waiting_resume: 'Waits to be resumed.',
  composing: 'All parts are there; it is being put together.',
  paused: 'Paused. What was started goes on to its end; nothing new is started.',
  resumed: 'Resumed.',
  stop_requested: 'Stopped: it ends with what is there.',
  time_up: 'Its time is up: it ends with what is there.',
  approved: 'A step was approved.',
  edited: 'A step was changed and approved.',
  rejected: 'A step was rejected.',
  answered: 'The question was answered.',
  dispatching: 'Being sent to the provider.',
  accepted: 'The provider accepted it.',
  accepted_after_doubt: 'Upstream holds the job (known by {{from}}).',
  delivered: 'The provider reported success; the result is being fetched.',
  succeeded: 'Done: {{outputs}} of {{ordered}} stored.',
  cancelled: 'Cancelled.',
  cancelled_unsent: 'Cancelled before it was sent.',
  cancelled_early: 'Cancelled before anything was delivered.',
  cancelled_confirmed: 'Upstream confirmed the cancellation.',
  cancelled_taken: 'Upstream took the cancellation and holds the job no more.',
  cancelled_kept: 'Cancelled. What was delivered before is kept and charged.',
  cancelled_composing: 'Cancelled while it was put together. All parts are kept and charged.',
  stopped_early: 'Stopped before anything was made.',
  cancel_requested: 'Cancel requested.',
  cancel_unsupported: 'The provider cannot cancel a job that has started.',
  cancel_too_late: 'Too late to cancel: the provider had finished.',
  cancel_asked: 'The provider was asked to cancel.',
  charged_call: 'Charged: {{units}} of {{orderedUnits}} calls.',
  charged_output: 'Charged: {{units}} of {{orderedUnits}} outputs.',
  charged_second: 'Charged: {{units}} of {{orderedUnits}} seconds.',
  charged_tokens: 'Charged: {{units}} of {{orderedUnits}} blocks of tokens.',
  uncertain_no_answer:
    'It was sent once and got no clear answer: the provider may or may not have started it. Nothing is sent again.',
  uncertain_overdue: 'The provider is past the time allowed for this model.',
  uncertain_missing: 'The provider said repeatedly that it does not know this job.',
  requeued_busy: 'Upstream takes no new work right now.',
  requeued_not_reached: 'The request did not reach upstream.',
  next_account: 'The provider’s account did not take it; the next one is asked.',
  fetch_again: 'The file could not be fetched yet.',
  store_again: 'The file could not be stored yet.',
  late_success: 'Upstream delivered after all. The result is yours and the refund stays.',
  reported: 'The provider reported this job.',
  resolved_result: 'An administrator gave the result: {{note}}',
  resolved_job: 'An administrator gave the provider’s job id: {{note}}',
  resolved_failure: 'An administrator confirmed the failure: {{note}}',
  recover_requested: 'An administrator asked to look for the result again: {{note}}',
  woken: 'An administrator made it due: {{note}}',
  shots_started: 'The shots were started; {{credits}} credits are held.',
  finishes_without: 'The film is put together without what failed.',
  film_ready: 'The film is ready.',
  done: 'Done.',
} as const;

export type EventCode = keyof typeof EVENT_SENTENCES;

export const eventText = (code: EventCode, values: CodedText['values'] = {}): CodedText => ({ code, values });

export function eventSentence({ code, values, and }: CodedText): string {
  const text = fillSentence(EVENT_SENTENCES[code as EventCode], values);
  return and ? `${text} ${eventSentence(and)}` : text;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What a stored sentence looks like, with its values as named groups. */
const PATTERNS = Object.entries(EVENT_SENTENCES).map(([code, sentence]) => {
  const pattern = sentence
    .split(/(\{\{\w+\}\})/)
    .map((part) => (part.startsWith('{{') ? `(?<${part.slice(2, -2)}>.+)` : escaped(part)))
    .join('');
  return { code: code as EventCode, pattern: new RegExp(`^${pattern}$`, 's') };
});

/** The code of a sentence that an event was stored with; null for somebody's own words. */
export function recognizeSentence(stored: string): CodedText | null {
  for (const { code, pattern } of PATTERNS) {
    const match = pattern.exec(stored);
    if (match) return eventText(code, { ...match.groups });
  }
  return null;
}
