import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { formatCredits, formatMoment, formatUtc } from '#app/lib/format.ts';
import { useLanguage } from '#app/lib/language.tsx';
import { usePageClock } from '#app/lib/page-clock.tsx';
import type { Language } from '#app/locales/languages.ts';
import { statesTexts } from '#app/locales/states.ts';
import { tasksTexts } from '#app/locales/tasks.ts';

/** What the words about a task are made with: texts and figures of one language, moments of one time zone. */
export type Say = {
  t: TFunction<'tasks'>;
  states: TFunction<'states'>;
  language: Language;
  credits(credits: number): string;
  moment(at: string): string;
};

/** For callers outside of components, and for tests. */
export const sayIn = (language: Language, timeZone: string | null = null): Say => ({
  t: tasksTexts.in(language),
  states: statesTexts.in(language),
  language,
  credits: (credits) => formatCredits(credits, language),
  // The server does not know a browser's own zone, so a moment in a sentence is told in UTC where none is chosen.
  moment: (at) =>
    timeZone === null ? formatUtc(new Date(at)) : formatMoment(new Date(at), timeZone, language),
});

/** In the page's language and zone. */
export function useSay(): Say {
  const language = useLanguage();
  const { timeZone } = usePageClock();
  return useMemo(() => sayIn(language, timeZone), [language, timeZone]);
}
