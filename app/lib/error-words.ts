import { englishErrors, errorTexts } from '#app/locales/errors.ts';
import type { Language } from '#app/locales/languages.ts';
import { sentencePattern } from './sentence-pattern.ts';

type Key = keyof typeof englishErrors;
type Known = { key: Key; pattern: RegExp };

/** Values of sentences that are words themselves, and mean nothing alone: states, kinds, what is allowed. */
const isPiece = (key: string): boolean => /^value[A-Z]/.test(key);

let known: { sentences: readonly Known[]; pieces: readonly Known[] } | undefined;

function knownTexts() {
  if (!known) {
    const plain = (key: Key) => englishErrors[key].replace(/\{\{\w+\}\}/g, '').length;
    // The one with the most words of its own first: "At most {{most}} rows." before "At most {{most}}."
    const all = (Object.keys(englishErrors) as Key[])
      .sort((a, b) => plain(b) - plain(a))
      .map((key) => ({ key, pattern: sentencePattern(englishErrors[key]) }));
    known = {
      sentences: all.filter(({ key }) => !isPiece(key)),
      pieces: all.filter(({ key }) => isPiece(key)),
    };
  }
  return known;
}

/**
 * A refusal in another language. Procedures and schemas refuse in English, the same for pages and API; what is not among
 * the texts, in part or as a whole, stays as it is. Components take `useErrorWords`, which brings the texts only when
 * they are needed.
 */
export function errorWords(refusal: string, language: Language): string {
  if (language === 'en') return refusal;
  // Sentence by sentence first: a value at the end of one would take the next ones in.
  return inSentences(refusal, language) ?? whole(refusal, language) ?? refusal;
}

function whole(text: string, language: Language): string | undefined {
  const own = find(text, knownTexts().sentences, language);
  if (own !== undefined) return own;
  // A place in what was sent: `auth.name: Enter the name of the header.`
  const placed = /^([a-z]\w*(?:\.\w+)*): (.+)$/s.exec(text);
  const said = placed?.[2] && find(placed[2], knownTexts().sentences, language);
  return said && `${placed[1]}: ${said}`;
}

/** Several sentences one after the other, such as a limit and when it ends. Undefined unless all of them are known. */
function inSentences(text: string, language: Language): string | undefined {
  const sentences = text.split(/(?<=[.!?]) (?=["\p{L}])/u);
  if (sentences.length === 1) return undefined;
  const words = sentences.map((sentence) => whole(sentence, language));
  return words.includes(undefined) ? undefined : words.join('');
}

function find(text: string, texts: readonly Known[], language: Language): string | undefined {
  for (const { key, pattern } of texts) {
    const match = pattern.exec(text);
    if (!match) continue;
    const values = Object.entries(match.groups ?? {}).map(([name, value]) => [
      name,
      spoken(name, value, language) ?? value,
    ]);
    return errorTexts.in(language)(key, { replace: Object.fromEntries(values) });
  }
  return undefined;
}

function spoken(name: string, value: string, language: Language): string | undefined {
  const piece = find(value, knownTexts().pieces, language);
  return piece ?? (name === 'problem' ? whole(value, language) : undefined);
}
