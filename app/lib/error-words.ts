import { useLanguage } from '#app/lib/language.tsx';
import { englishErrors, errorTexts } from '#app/locales/errors.ts';
import type { Language } from '#app/locales/languages.ts';

type Key = keyof typeof englishErrors;
type Sentence = { key: Key; pattern: RegExp };

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `At most {{most}}.` finds `At most 12.`, and that `most` is 12 there. */
function patternOf(text: string): RegExp {
  const parts = text.split(/\{\{(\w+)\}\}/);
  const source = parts.map((part, index) => (index % 2 === 0 ? literally(part) : `(?<${part}>.+?)`)).join('');
  return new RegExp(`^${source}$`);
}

let sentences: readonly Sentence[] | undefined;

function known(): readonly Sentence[] {
  sentences ??= (Object.keys(englishErrors) as Key[]).map((key) => ({
    key,
    pattern: patternOf(englishErrors[key]),
  }));
  return sentences;
}

/**
 * A refusal in another language. Procedures and schemas refuse in English, the same for pages and API; a sentence that is
 * not among the texts stays as it is.
 */
export function errorWords(sentence: string, language: Language): string {
  if (language === 'en') return sentence;
  for (const { key, pattern } of known()) {
    const match = pattern.exec(sentence);
    if (match) return errorTexts.in(language)(key, { replace: { ...match.groups } });
  }
  return sentence;
}

/** Refusals in the page's language, several of them one after the other. */
export function useErrorWords(): (messages: readonly string[]) => string {
  const language = useLanguage();
  return (messages) =>
    messages
      .filter(Boolean)
      .map((message) => errorWords(message, language))
      .join(language === 'en' ? ' ' : '');
}
