/** Finds what is spoken in a user's own script, and whether a plan kept it word for word. Pure. */

/** Labels at the start of a line that name no speaker. */
const NO_SPEAKERS =
  /^(title|scene|act|shot|style|idea|goal|script|notes?|place|time|cut to|fade (in|out)|int\b.*|ext\b.*|https?|标题|片名|场景|镜头|第.+[幕场]|风格|备注|时间|地点)(\s*\d+)?$/iu;
const SPOKEN = /^\s*(\p{L}[^:：\n]{0,39}?)(?:\s*\([^)\n]*\))?\s*[:：]\s*(\S.*?)\s*$/u;
/** A name alone, in capitals, as screenplays write it. */
const CUE = /^\s*(\p{Lu}[\p{Lu}\p{N} .'’-]{1,39})(?:\s*\([^)\n]*\))?\s*$/u;
const QUOTED =
  /“([^”\n]{2,600})”|「([^」\n]{2,600})」|『([^』\n]{2,600})』|«([^»\n]{2,600})»|"([^"\n]{2,600})"/gu;
/** Said to the actor, not by it. */
const DIRECTION = /^\s*(?:\([^)\n]*\)|（[^）\n]*）)\s*/u;

/** Every line of dialogue, without names and stage directions, in order. */
export function findDialogue(script: string): string[] {
  const found: string[] = [];
  let isSpeech = false;
  for (const line of script.split(/\r?\n/)) {
    if (line.trim() === '') {
      isSpeech = false;
      continue;
    }
    const spoken = spokenWords(line);
    if (spoken !== undefined) {
      isSpeech = false;
      found.push(unquote(spoken));
    } else if (isCue(line)) {
      isSpeech = true;
    } else if (isSpeech) {
      found.push(line.replace(DIRECTION, '').trim());
    } else {
      found.push(...[...line.matchAll(QUOTED)].map((match) => match.slice(1).find(Boolean)?.trim() ?? ''));
    }
  }
  return found.filter((line) => /\p{L}/u.test(line));
}

function spokenWords(line: string): string | undefined {
  const [, speaker = '', words] = SPOKEN.exec(line) ?? [];
  if (words === undefined || NO_SPEAKERS.test(speaker.trim())) return undefined;
  return words.replace(DIRECTION, '');
}

const isCue = (line: string): boolean => {
  const [, name] = CUE.exec(line) ?? [];
  return name !== undefined && !NO_SPEAKERS.test(name.trim()) && !/[.!?]$/.test(name.trim());
};

/** A line that is one quotation is spoken without its quotes. */
function unquote(words: string): string {
  const [match] = [...words.matchAll(QUOTED)];
  return match && match[0].length === words.length ? (match.slice(1).find(Boolean) ?? words) : words;
}

/** Line breaks and spaces are no words: what is left is compared letter by letter. */
const bare = (text: string): string => text.normalize('NFC').replace(/\s+/gu, '');

/**
 * What a plan did to the user's dialogue: lines that are in no narration, and spoken lines that are not in the script.
 * A line may be split over several shots that follow each other.
 */
export function checkDialogue(
  script: string,
  shots: readonly { narration: string; speakerId: string }[],
): { lost: string[]; altered: string[] } {
  const said = bare(shots.map(({ narration }) => narration).join(''));
  const written = bare(script);
  return {
    lost: findDialogue(script).filter((line) => !said.includes(bare(line))),
    altered: shots.flatMap(({ narration, speakerId }) =>
      speakerId !== '' && narration !== '' && !written.includes(bare(narration)) ? [narration] : [],
    ),
  };
}
