import { useLanguage } from '#app/lib/language.tsx';
import { sentenceGap } from '#app/lib/sentence-gap.ts';
import { sentencePattern } from '#app/lib/sentence-pattern.ts';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import type { Language } from '#app/locales/languages.ts';
import { englishRefusals, refusalTexts } from '#app/locales/refusals.ts';
import { statesTexts } from '#app/locales/states.ts';

type Key = keyof typeof englishRefusals;

/** Values that are sentences or names themselves. All others are figures, names and texts of people. */
const SPOKEN = ['problem', 'part', 'label', 'subject', 'accepted', 'advice', 'control', 'why'];

/** Pieces of other sentences, which are nothing by themselves. */
const isPiece = (key: string): boolean => /^in[A-Z]/.test(key);

type Known = { key: Key; pattern: RegExp };
let known: { sentences: readonly Known[]; pieces: readonly Known[] } | undefined;

function knownTexts() {
  if (!known) {
    const all = (Object.keys(englishRefusals) as Key[]).map((key) => ({
      key,
      pattern: sentencePattern(englishRefusals[key]),
    }));
    known = {
      sentences: all.filter(({ key }) => !isPiece(key)),
      pieces: all.filter(({ key }) => isPiece(key)),
    };
  }
  return known;
}

/** Into which language, and who knows the refusals that are not about agents and dramas. */
type Into = { language: Language; general: (text: string) => string };

/**
 * What the server says of agents and dramas, in another language: refusals, why a part came to nothing, how a run ended.
 * It says so in English, in one sentence or several. What is not among the texts stays as it is: a model's own words.
 *
 * @param general knows the refusals of all other pages; what it does not know it gives back
 */
export function serverWords(text: string, language: Language, general = (each: string) => each): string {
  return language === 'en' ? text : translated(text, { language, general });
}

/** {@link serverWords} in the page's language, several texts one after the other; undefined where nothing was said. */
export function useServerWords(): (
  said: string | readonly string[] | null | undefined,
) => string | undefined {
  const language = useLanguage();
  const errorWords = useErrorWords();
  return (said) => {
    const texts = (typeof said === 'string' ? [said] : (said ?? [])).filter(Boolean);
    if (texts.length === 0) return undefined;
    return texts
      .map((text) => serverWords(text, language, (each) => errorWords([each])))
      .join(sentenceGap(language));
  };
}

function translated(text: string, into: Into): string {
  const lines = text.split('\n');
  if (lines.length > 1) return lines.map((line) => translated(line, into)).join('\n');
  // A place in a storyboard, as the model was told: `shots.3.seconds: Enter whole seconds.`
  const placed = /^([a-z]\w*(?:\.\w+)*): (.+)$/.exec(text);
  if (placed?.[1] && placed[2]) return `${placed[1]}: ${translated(placed[2], into)}`;
  return found(text, into) ?? inSentences(text, into);
}

function found(text: string, into: Into): string | undefined {
  const own = match(text, knownTexts().sentences, into) ?? failureWords(text, into);
  if (own !== undefined) return own;
  const general = into.general(text);
  return general === text ? undefined : general;
}

function match(text: string, texts: readonly Known[], into: Into): string | undefined {
  for (const { key, pattern } of texts) {
    const found = pattern.exec(text);
    if (!found) continue;
    const values = Object.entries(found.groups ?? {}).map(([name, value]) => [
      name,
      SPOKEN.includes(name) ? spoken(value, into) : value,
    ]);
    return refusalTexts.in(into.language)(key, { replace: Object.fromEntries(values) });
  }
  return undefined;
}

const spoken = (value: string, into: Into): string =>
  match(value, knownTexts().pieces, into) ?? translated(value, into);

/** Why a task failed, where the server gives the sentence without its code. */
function failureWords(text: string, { language }: Into): string | undefined {
  const english = statesTexts.in('en');
  const [sentence = '', ...notes] = text.split(english('failures.it_said', { note: '' }).trimEnd());
  const codes = english('failures', { returnObjects: true }) as Record<string, string>;
  const code = Object.keys(codes).find((each) => codes[each] === sentence.trim());
  if (code === undefined) return undefined;
  const states = statesTexts.in(language);
  const said = states(`failures.${code}` as 'failures.none');
  if (notes.length === 0) return said;
  return said + states('failures.it_said', { note: notes.join('').trim() });
}

/** Sentence by sentence: the longest run of them that is known, then the rest. */
function inSentences(text: string, into: Into): string {
  const sentences = text.split(/(?<=[.!?]["”]?) (?=["A-Z])/);
  if (sentences.length === 1) return text;
  const out: { words: string; isKnown: boolean }[] = [];
  for (let from = 0; from < sentences.length; ) {
    const until = lastKnown(sentences, from, into);
    const run = sentences.slice(from, until?.end ?? from + 1).join(' ');
    out.push({ words: until?.words ?? run, isKnown: until !== undefined });
    from = until?.end ?? from + 1;
  }
  return out.reduce(
    (all, { words, isKnown }) => (all === '' || isKnown ? all + words : `${all} ${words}`),
    '',
  );
}

function lastKnown(
  sentences: readonly string[],
  from: number,
  into: Into,
): { words: string; end: number } | undefined {
  for (let end = sentences.length; end > from; end -= 1) {
    const words = found(sentences.slice(from, end).join(' '), into);
    if (words !== undefined) return { words, end };
  }
  return undefined;
}
