import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENT_SENTENCES, eventSentence, recognizeSentence } from './event-sentences.ts';
import { failureReason, failureSentence } from './failure-messages.ts';
import { because, WAITING_SENTENCES, type WaitingCode, waitingSentence } from './waiting-sentences.ts';

/** The English texts of the pages, without the formats of their figures. */
const texts = JSON.parse(
  readFileSync(new URL('../../app/locales/en/states.json', import.meta.url), 'utf8').replaceAll(
    ', number}}',
    '}}',
  ),
) as Record<'waiting' | 'events' | 'failures', Record<string, string>>;

const VALUES = { count: 3, ended: 2, steps: 5, until: '' };
const filled = (text: string, values: Record<string, string | number>) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) =>
    name === 'until' ? 'its deadline' : String(values[name]),
  );

describe('reasons for waiting', () => {
  it.each(Object.keys(WAITING_SENTENCES) as WaitingCode[])('pages say the same in English: %s', (code) => {
    const text = texts.waiting[code] ?? texts.waiting[`${code}_other`] ?? '';
    expect(waitingSentence(because(code, VALUES))).toBe(filled(text, VALUES));
    const ofOne = texts.waiting[`${code}_one`];
    if (ofOne) {
      expect(waitingSentence(because(code, { ...VALUES, count: 1 }))).toBe(
        filled(ofOne, { ...VALUES, count: 1 }),
      );
    }
  });

  it('says a second thing after the first', () => {
    const and = because('steps_uncertain', { count: 1, until: '2031-02-03T04:05:06.000Z' });
    expect(waitingSentence({ ...because('waits_for_you', { until: '2031-01-02T00:00:00.000Z' }), and })).toBe(
      'It waits for you until 2031-01-02, and then ends with what is there. We do not know what became of one step at the provider; if nothing is known by 2031-02-03 04:05 UTC, it fails and its credits return.',
    );
  });
});

describe('events', () => {
  it('pages say the same in English', () => {
    expect(texts.events).toEqual(EVENT_SENTENCES);
  });

  it.each(Object.keys(EVENT_SENTENCES))('a stored sentence is known again: %s', (code) => {
    const values = {
      note: 'I have looked. Twice.',
      from: 'lookup',
      credits: '12',
      outputs: '1',
      ordered: '2',
      units: '3',
      orderedUnits: '4',
    };
    const sentence = eventSentence({ code, values });
    const found = recognizeSentence(sentence);
    expect(found && eventSentence(found)).toBe(sentence);
    expect(found?.code).toBe(code);
  });

  it('somebody’s own words stay words', () => {
    expect(recognizeSentence('The storyboard was changed: 3 shots.')).toBeNull();
  });
});

describe('failures', () => {
  it.each(['rejected', 'composition_failed'] as const)(
    'knows %s with and without what upstream said',
    (code) => {
      expect(failureReason(code, failureSentence(code))).toEqual({ code, values: {} });
      expect(failureReason(code, failureSentence(code, 'no hats'))).toEqual({
        code,
        values: {},
        and: { code: 'it_said', values: { note: 'no hats' } },
      });
      expect(texts.failures[code]).toBe(failureSentence(code));
    },
  );

  it('a text of its own has no code', () => {
    expect(failureReason('step_failed', 'No shot could be finished.')).toBeNull();
    expect(failureReason('toString', 'x')).toBeNull();
  });
});
