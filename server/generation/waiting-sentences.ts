import { fillSentence } from './coded-text.ts';
import type { CodedText } from './schemas.ts';

const END = 'If nothing is known by the time shown, it fails and you get your credits back.';
const UNKNOWN =
  'We sent this once and got no clear answer, so we do not know whether the provider is working on it. Nothing is sent again.';

/** Why a live task is not further, in English by code. Pages have the same sentences in every language (`states`). */
export const WAITING_SENTENCES = {
  cancelling: 'It is being cancelled.',
  channel_off:
    'The provider of this model is switched off. It starts when an administrator switches it on, or is refunded.',
  channel_paused: 'The provider takes no new work right now; it is tried again shortly.',
  channel_full: 'The provider is at its limit; it starts when another task ends.',
  user_at_cap: 'You have {{count}} generations under way, the most at once; it starts when one ends.',
  starts_nothing:
    'Your account may start nothing at present. It waits; ask an administrator, or cancel it: that is free.',
  fault_here: 'It could not be sent because of a fault on our side; it is tried again shortly.',
  asked_to_wait: 'The provider asked us to wait; it is tried again shortly.',
  not_reached: 'The provider could not be reached; it is tried again shortly.',
  next_in_line: 'Next in line.',
  sending: 'Being sent to the provider.',
  cannot_cancel: 'The provider cannot cancel this; it goes on to its end.',
  cancel_asked: 'The provider was asked to cancel; its answer decides.',
  slowed_down: 'The provider asked us to slow down; the result is looked for again shortly.',
  key_refused: 'The provider refuses our key right now. An administrator has been told.',
  no_answer_now: 'The provider does not answer right now; it is asked again.',
  longer_than_usual: 'It takes longer than usual.',
  at_work: 'The provider is working on it.',
  overdue: `The provider is past the time allowed and has given no result. We keep asking. ${END}`,
  missing: `The provider does not know this job any more. We keep asking. ${END}`,
  no_answer: `${UNKNOWN} An administrator can find out. ${END}`,
  no_answer_looked_up: `${UNKNOWN} We keep looking for it at the provider. An administrator can find out. ${END}`,
  storage_fault:
    'The result is ready at the provider, but our storage does not take it right now. It is tried again.',
  fetching: 'The result is being fetched into your library.',
  another_step: 'Waiting for another step.',
  composing: 'All parts are there. They are being put together; it starts when the one before it is done.',
  composing_again: 'All parts are there, but they could not be put together yet. It is tried again.',
  cancelling_parts: 'It is being cancelled and ends when everything that it has started has ended.',
  fault_here_goes_on: 'It could not go on because of a fault on our side; it is tried again shortly.',
  waits_for_you: 'It waits for you until {{until}}, and then ends with what is there.',
  paused: 'You have paused it. If it is not resumed by {{until}}, it ends with what is there.',
  steps_at_work: 'It is at work.',
  agents_at_cap:
    'You have {{count}} agents under way, the most at once; it goes on when one ends or waits for you.',
  dramas_at_cap:
    'You have {{count}} films under way, the most at once; it goes on when one ends or waits for you.',
  about_to_begin: 'It is about to begin.',
  steps_done: 'It is at work: {{ended}} of {{steps}} steps started so far have ended.',
  steps_uncertain:
    'We do not know what became of {{count}} steps at the provider; if nothing is known by {{until}}, they fail and their credits return.',
} as const;

/** Sentences that read differently when `count` is one. */
const WAITING_SENTENCES_OF_ONE = {
  user_at_cap: 'You have one generation under way, the most at once; it starts when it ends.',
  agents_at_cap: 'You have 1 agent under way, the most at once; it goes on when one ends or waits for you.',
  dramas_at_cap: 'You have 1 film under way, the most at once; it goes on when one ends or waits for you.',
  steps_uncertain:
    'We do not know what became of one step at the provider; if nothing is known by {{until}}, it fails and its credits return.',
} as const satisfies Partial<Record<WaitingCode, string>>;

export type WaitingCode = keyof typeof WAITING_SENTENCES;

/** Why a live task is not further; `and` is a second thing to know. */
export type WaitingReason = { code: WaitingCode; values: CodedText['values']; and?: WaitingReason };

export const because = (code: WaitingCode, values: CodedText['values'] = {}): WaitingReason => ({
  code,
  values,
});

/** The reason in English. Moments in it are UTC: pages say them in the reader's time. */
export function waitingSentence(reason: WaitingReason): string {
  const ofOne: Partial<Record<WaitingCode, string>> = WAITING_SENTENCES_OF_ONE;
  const sentence =
    (reason.values.count === 1 ? ofOne[reason.code] : undefined) ?? WAITING_SENTENCES[reason.code];
  const until = reason.values.until;
  const text = fillSentence(sentence, {
    ...reason.values,
    ...(typeof until === 'string' ? { until: momentInUtc(reason.code, until) } : {}),
  });
  return reason.and ? `${text} ${waitingSentence(reason.and)}` : text;
}

/** Deadlines of days are told by the day. */
function momentInUtc(code: WaitingCode, until: string): string {
  if (until === '') return 'its deadline';
  return code === 'steps_uncertain' ? `${until.slice(0, 16).replace('T', ' ')} UTC` : until.slice(0, 10);
}
