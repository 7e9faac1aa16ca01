import { useEffect, useSyncExternalStore } from 'react';
import { useLanguage } from '#app/lib/language.tsx';
import type { Language } from '#app/locales/languages.ts';

type Words = (refusal: string, language: Language) => string;

/** The texts of refusals are many and seldom shown, so a browser fetches them apart, and never for English pages. */
let words: Words | undefined;
const waiting = new Set<() => void>();

/** Gives the texts to a process that has them from its start: the server, tests. */
export function learnErrorWords(known: Words): void {
  words = known;
  for (const tell of waiting) tell();
}

/** Fetches the texts once; rejects when they do not come. */
export async function loadErrorWords(): Promise<void> {
  if (!words) learnErrorWords((await import('./error-words.ts')).errorWords);
}

function subscribe(tell: () => void): () => void {
  waiting.add(tell);
  return () => waiting.delete(tell);
}

const current = () => words;

/** Refusals in the page's language, several of them one after the other; in English until their texts have come. */
export function useErrorWords(): (messages: readonly string[]) => string {
  const language = useLanguage();
  const say = useSyncExternalStore(subscribe, current, current);
  useEffect(() => {
    // Without them a refusal is English: it says what is wrong all the same.
    if (language !== 'en') loadErrorWords().catch(() => undefined);
  }, [language]);
  return (messages) =>
    messages
      .filter(Boolean)
      .map((message) => say?.(message, language) ?? message)
      .join(language === 'en' || !say ? ' ' : '');
}
