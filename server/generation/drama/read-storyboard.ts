import type { ConversationAnswer } from '../conversation/schemas.ts';
import { checkDialogue } from './dialogue.ts';
import { type DramaPlan, type DramaSettings, dramaPlan } from './schemas.ts';
import { longestShot, SAVE_STORYBOARD } from './storyboard-conversation.ts';

/** Problems told at once: more would be noise to a model that has to write the whole storyboard anew. */
const MOST_PROBLEMS = 12;

export type ReadStoryboard =
  | { type: 'plan'; plan: DramaPlan }
  /** The plan can be filmed, but the user's dialogue is not in it word for word. */
  | { type: 'dialogue'; plan: DramaPlan; problems: string[] }
  | { type: 'unusable'; problems: string[] };

/** Reads a language model's answer: the call of the tool, or JSON in its text. Nothing of it is trusted. Pure. */
export function readStoryboard(
  answer: ConversationAnswer,
  settings: Pick<DramaSettings, 'source' | 'text'>,
  mostSeconds: number | null,
): ReadStoryboard {
  const source = storyboardText(answer);
  if (source === undefined) {
    return { type: 'unusable', problems: [`There was no call of ${SAVE_STORYBOARD}.`] };
  }
  const json = parseJson(source);
  if (json === undefined) {
    return { type: 'unusable', problems: ['The arguments are not valid JSON. They may be cut off.'] };
  }
  const parsed = dramaPlan.safeParse(normalise(json));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join('.')}: ${message}`,
    );
    return { type: 'unusable', problems: problems.slice(0, MOST_PROBLEMS) };
  }
  const plan = parsed.data;
  const most = longestShot(mostSeconds);
  const tooLong = plan.shots.flatMap(({ seconds }, index) =>
    seconds > most ? [`shots.${index}.seconds: ${seconds} is too long; ${most} seconds are the most.`] : [],
  );
  if (tooLong.length > 0) return { type: 'unusable', problems: tooLong.slice(0, MOST_PROBLEMS) };
  if (settings.source === 'idea') return { type: 'plan', plan };
  const problems = dialogueProblems(settings.text, plan);
  return problems.length === 0 ? { type: 'plan', plan } : { type: 'dialogue', plan, problems };
}

function dialogueProblems(script: string, plan: DramaPlan): string[] {
  const { lost, altered } = checkDialogue(script, plan.shots);
  return [
    ...lost.map((line) => `This line of the script is missing or was changed: "${line}"`),
    ...altered.map((line) => `This is spoken, but it is not in the script: "${line}"`),
  ].slice(0, MOST_PROBLEMS);
}

function storyboardText({ text, toolCalls }: ConversationAnswer): string | undefined {
  const call = toolCalls.find(({ name }) => name === SAVE_STORYBOARD);
  if (call) return call.argumentsText;
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  return from >= 0 && to > from ? text.slice(from, to + 1) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const recordsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Ids in one form, shots numbered, whole seconds, nothing where a field was left out. What is really wrong stays so. */
function normalise(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return {
    ...value,
    style: value.style ?? '',
    characters: recordsOf(value.characters).map((character) =>
      isRecord(character)
        ? { ...character, id: toId(character.id), look: character.look ?? '', voice: character.voice ?? '' }
        : character,
    ),
    scenes: recordsOf(value.scenes).map((scene) =>
      isRecord(scene) ? { ...scene, id: toId(scene.id), place: scene.place ?? '' } : scene,
    ),
    shots: recordsOf(value.shots).map((shot, index) => (isRecord(shot) ? normaliseShot(shot, index) : shot)),
  };
}

function normaliseShot(shot: Record<string, unknown>, index: number): Record<string, unknown> {
  const { seconds, speakerId } = shot;
  return {
    ...shot,
    id: `shot-${index + 1}`,
    sceneId: toId(shot.sceneId),
    characterIds: [...new Set(recordsOf(shot.characterIds).map(toId))],
    seconds: typeof seconds === 'number' && Number.isFinite(seconds) ? Math.ceil(seconds) : seconds,
    motionPrompt: shot.motionPrompt ?? '',
    narration: shot.narration ?? '',
    speakerId: speakerId === null || speakerId === undefined || speakerId === '' ? '' : toId(speakerId),
  };
}

/** The same id wherever it is meant; one that has no letter of the alphabet gets a name made of its characters. */
function toId(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = String(value).trim().toLowerCase();
  const slug = text
    .normalize('NFKD')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^[-_]+|-+$/g, '');
  if (slug !== '' || text === '') return slug.slice(0, 40);
  return `x${[...text].map((character) => character.codePointAt(0)?.toString(36)).join('')}`.slice(0, 40);
}
