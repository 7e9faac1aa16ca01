import { type TalkDirectives, wordsForChild } from './directives.ts';
import { fitToSchema, propertyOf } from './fit-schema.ts';
import { dialogueOf, isChinese, type Line, ownText, subjectOf, titleOf } from './script.ts';
import { CHINESE, ENGLISH } from './storyboard-words.ts';
import { type Talk, type Tool, turnsTaken } from './talk.ts';

/** A storyboard of the user's text, always the same for the same text. */

const USUAL_SHOTS = 3;
const USUAL_SECONDS = 3;
const MOST_SHOTS = 40;
const MOST_CHARACTERS = 6;

/** One item of a list that never ends. */
const turn = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

type Character = { id: string; name: string; look: string; voice: string };

/** Those who speak in the text, and others until there are two. */
function castOf(words: typeof ENGLISH, dialogue: readonly Line[], directives: TalkDirectives): Character[] {
  const speakers = [...new Set(dialogue.map((line) => line.speaker).filter(Boolean))].slice(
    0,
    MOST_CHARACTERS,
  );
  const others = words.characters.map(({ name }) => name).filter((name) => !speakers.includes(name));
  const names = [...speakers, ...others.slice(0, Math.max(0, 2 - speakers.length))];
  return names.map((name, index) => {
    const { look, voice } = turn(words.characters, index);
    return {
      id: `c${index + 1}`,
      name,
      look: `${look}${wordsForChild(directives, index + 1, 'look')}`,
      voice,
    };
  });
}

/** The lines that fall to each shot: one each while there are shots enough, in order. */
function spread(dialogue: readonly Line[], shots: number): Line[][] {
  const places = Array.from({ length: shots }, (): Line[] => []);
  for (const [index, line] of dialogue.entries())
    places[Math.floor((index * shots) / dialogue.length)]?.push(line);
  return places;
}

function makeStoryboard(directives: TalkDirectives, most: number): Record<string, unknown> {
  const text = ownText(directives.text);
  const words = isChinese(text) ? CHINESE : ENGLISH;
  const dialogue = dialogueOf(text);
  const cast = castOf(words, dialogue, directives);
  const count = Math.min(most, directives.shots ?? Math.max(USUAL_SHOTS, dialogue.length));
  const seconds = directives.seconds ?? USUAL_SECONDS;
  const subject = subjectOf(text);
  const scenes = words.scenes
    .slice(0, count > 1 ? 2 : 1)
    .map((scene, index) => ({ id: `s${index + 1}`, ...scene }));

  const shots = spread(dialogue, count).map((lines, index) => {
    const number = index + 1;
    const scene = scenes[Math.floor((index * scenes.length) / count)] ?? scenes[0];
    const speakers = new Set(
      lines.map(({ speaker }) => cast.find(({ name }) => name === speaker)?.id ?? 'c1'),
    );
    // Words of several lines are not one speech: the narrator reads them.
    const [speakerId = ''] = lines.length === 1 ? speakers : [];
    const shown = cast.filter(({ id }, place) => speakers.has(id) || place === index % 2);
    const told = turn(words.narrations, index).replaceAll('{s}', subject);
    return {
      id: `shot${number}`,
      sceneId: scene?.id ?? 's1',
      characterIds: shown.map(({ id }) => id),
      seconds,
      picturePrompt: `${words.picture({
        subject,
        place: scene?.place ?? '',
        names: shown.map(({ name }) => name).join(', '),
        framing: turn(words.framings, index),
        number,
      })}${wordsForChild(directives, number, 'picture')}`,
      motionPrompt: `${turn(words.motions, index)}${wordsForChild(directives, number, 'clip')}`,
      narration: `${lines.length > 0 ? lines.map((line) => line.words).join(' ') : told}${wordsForChild(directives, number, 'voice')}`,
      speakerId,
    };
  });
  return { title: titleOf(text), style: words.style, characters: cast, scenes, shots };
}

/** Against the schema in ways that models are fond of: a length nobody offers, a scene that is not there, a field left out. */
function spoil(storyboard: Record<string, unknown>): Record<string, unknown> {
  const shots = storyboard.shots as Record<string, unknown>[];
  const spoilt = shots.map(({ picturePrompt: _left, ...shot }, index) =>
    index === 0 ? { ...shot, seconds: 'three', sceneId: 'nowhere' } : { ...shot, picturePrompt: '' },
  );
  return { ...storyboard, shots: spoilt };
}

/** The arguments of this try, as JSON; the first ones of `[[storyboard:bad=N]]` are wrong. */
export function writeStoryboard(talk: Talk, tool: Tool, directives: TalkDirectives): string {
  const shotsSchema = propertyOf(tool.parameters, 'shots');
  const allowed = typeof shotsSchema.maxItems === 'number' ? shotsSchema.maxItems : MOST_SHOTS;
  const made = makeStoryboard(directives, Math.min(MOST_SHOTS, allowed));
  const right = fitToSchema(made, tool.parameters, 'more') as Record<string, unknown>;
  const attempt = turnsTaken(talk);
  if (attempt >= directives.badStoryboards) return JSON.stringify(right);
  if (attempt % 2 === 1) return JSON.stringify(spoil(right));
  const json = JSON.stringify(right);
  return json.slice(0, Math.floor(json.length / 2));
}
