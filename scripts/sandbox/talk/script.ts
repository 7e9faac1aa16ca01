/** What the user's text is about, and who says what in it. */

export type Line = { speaker: string; words: string };

export const isChinese = (text: string): boolean => /\p{Script=Han}/u.test(text);

/**
 * The user's own text inside what is said around it: between tags such as `<script>`, between lines of `"""` or `---`,
 * below a first line that ends in a colon, or behind a label (`Idea:`); otherwise all of it.
 */
export function ownText(said: string): string {
  const [, , tagged] = /<(idea|script|story|text|goal|user_?text|source)>([\s\S]*?)<\/\1>/i.exec(said) ?? [];
  const [, , fenced] = /^("""|---|```)[^\n]*\n([\s\S]*?)\n\1\s*$/m.exec(said) ?? [];
  const [, introduced] = /^[^\n]*[:：]\s*\n\s*\n([\s\S]+)$/.exec(said.trim()) ?? [];
  const inside = (tagged ?? fenced ?? introduced ?? said).trim();
  return inside.replace(/^(the )?(user's )?(idea|script|story|goal|text)\s*[:：]\s*/i, '').trim();
}

const NO_SPEAKERS =
  /^(title|scene|act|shot|style|idea|goal|script|story|drama|film|short|video|notes?|place|time|cut to|fade (in|out)|int|ext|https?)\b|^(标题|片名|场景|镜头|第.+[幕场]|风格|备注|时间|地点)$/i;
/** `Name: words`, also `Name (softly): words`. */
const SPOKEN = /^\s*(\p{L}[^:：\n]{0,39}?)\s*(?:\([^)\n]*\)\s*)?[:：]\s*(\S.*?)\s*$/u;
/** A name in capitals on a line of its own, with the words below it. */
const CUE = /^\s*(\p{Lu}[\p{Lu}\p{N} '’-]{1,38}?)\s*(?:\([^)\n]*\))?\s*$/u;
const QUOTED =
  /“([^”\n]{2,600})”|「([^」\n]{2,600})」|『([^』\n]{2,600})』|«([^»\n]{2,600})»|"([^"\n]{2,600})"/gu;
/** How it is to be said, before the words. */
const MANNER = /^\s*(?:\([^)\n]*\)|（[^）\n]*）)\s*/u;

const quotesIn = (line: string): string[] =>
  [...line.matchAll(QUOTED)].map((found) => found.slice(1).find((words) => words !== undefined) ?? '');

function spokenLine(line: string): Line | undefined {
  const [, speaker, said] = SPOKEN.exec(line) ?? [];
  if (speaker === undefined || said === undefined || NO_SPEAKERS.test(speaker.trim())) return undefined;
  const words = said.replace(MANNER, '');
  const [quote] = quotesIn(words);
  return { speaker: speaker.trim(), words: quote?.length === words.length - 2 ? quote : words };
}

/**
 * What is said in a script, in order and word for word: `Name: words`, words below a name in capitals, and what stands in
 * quotes elsewhere (its speaker is empty).
 */
export function dialogueOf(text: string): Line[] {
  let speaker: string | undefined;
  const lines = text.split('\n').flatMap((line): Line[] => {
    const spoken = spokenLine(line);
    const cue = CUE.exec(line)?.[1];
    if (spoken || line.trim() === '') {
      speaker = undefined;
      return spoken ? [spoken] : [];
    }
    if (cue !== undefined && !NO_SPEAKERS.test(cue)) {
      speaker = cue;
      return [];
    }
    if (speaker !== undefined) return [{ speaker, words: line.replace(MANNER, '').trim() }];
    return quotesIn(line).map((words) => ({ speaker: '', words: words.trim() }));
  });
  return lines.filter(({ words }) => /\p{L}/u.test(words));
}

/** The text without dialogue, as one line. */
function proseOf(text: string): string {
  const lines = text.split('\n').filter((line) => spokenLine(line) === undefined);
  return lines.join(' ').replaceAll(/\s+/g, ' ').trim();
}

function firstWords(text: string, most: { words: number; characters: number }): string {
  if (isChinese(text)) {
    const clause = text.split(/[。！？；，、,.!?;:：“”"「」\s]+/u).find((part) => part !== '') ?? text;
    return clause.slice(0, most.characters);
  }
  const words = text.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  return words.slice(0, most.words).join(' ');
}

/** The title: what the text calls itself, or its first words. */
export function titleOf(text: string): string {
  const [, named] = /^\s*(?:title|标题|片名)\s*[:：]\s*(\S.*?)\s*$/im.exec(text) ?? [];
  const title = named ?? firstWords(proseOf(text) || text, { words: 6, characters: 14 });
  const fallback = isChinese(text) ? '短片' : 'Short film';
  const chosen = title.slice(0, 80) || fallback;
  return chosen.charAt(0).toUpperCase() + chosen.slice(1);
}

/** A few words for sentences. */
export function subjectOf(text: string): string {
  const prose = proseOf(text).replace(/^(?:title|标题|片名)\s*[:：]\s*/i, '');
  const subject = firstWords(prose || text, { words: 3, characters: 8 }).slice(0, 24);
  return subject.trim() || (isChinese(text) ? '这一天' : 'that day');
}
