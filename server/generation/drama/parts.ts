import type { StepRow } from '../composite/queries.ts';
import type { StepStatus } from '../composite/schemas.ts';
import type { Kind } from '../status.ts';
import { type DramaPlan, type DramaShot, SHOT_PARTS, type ShotPart } from './schemas.ts';

/** Names of the parts of a film and of the steps that make them. */

export type PartName = ShotPart | 'character';

/** One thing to be made. `base` is its step's key without the number of the try. */
export type Part = { base: string; name: PartName; ownerId: string };

/** What kind of task makes a part. */
export const KIND_OF: Readonly<Record<PartName, Exclude<Kind, 'text'>>> = {
  character: 'image',
  picture: 'image',
  clip: 'video',
  voice: 'audio',
};

/** Which parts the models of an order can make. */
export type Makes = { characters: boolean; clips: boolean; voices: boolean };

export const shotPart = (shotId: string, name: ShotPart): Part => ({
  base: `shot:${shotId}:${name}`,
  name,
  ownerId: shotId,
});

const characterPart = (characterId: string): Part => ({
  base: `character:${characterId}`,
  name: 'character',
  ownerId: characterId,
});

export function partsOfShot(shot: DramaShot, makes: Makes): Part[] {
  return SHOT_PARTS.filter((name) => isMade(shot, name, makes)).map((name) => shotPart(shot.id, name));
}

function isMade(shot: DramaShot, name: ShotPart, makes: Makes): boolean {
  if (name === 'clip') return makes.clips;
  if (name === 'voice') return makes.voices && shot.narration !== '';
  return true;
}

/** Everything that a plan is made of: reference pictures of the characters that appear, then the parts of every shot. */
export function listParts(plan: DramaPlan, makes: Makes): Part[] {
  const seen = new Set(plan.shots.flatMap((shot) => shot.characterIds));
  const characters = makes.characters ? plan.characters.filter(({ id }) => seen.has(id)) : [];
  return [
    ...characters.map(({ id }) => characterPart(id)),
    ...plan.shots.flatMap((shot) => partsOfShot(shot, makes)),
  ];
}

export const stepKey = (base: string, rev: number): string => `${base}:${rev}`;

/** A part with the newest step that makes it. */
export type PartStep = Part & { rev: number; step: StepRow };

const PART_KEY = /^(?:(character):([^:]+)|shot:([^:]+):(picture|clip|voice)):(\d+)$/;

function readPartKey(key: string): (Part & { rev: number }) | undefined {
  const [, character, characterId, shotId, name, rev] = PART_KEY.exec(key) ?? [];
  if (rev === undefined) return undefined;
  if (character && characterId) return { ...characterPart(characterId), rev: Number(rev) };
  return shotId ? { ...shotPart(shotId, name as ShotPart), rev: Number(rev) } : undefined;
}

/** The newest step of every part, by the part's base. */
export function newestParts(steps: readonly StepRow[]): Map<string, PartStep> {
  const newest = new Map<string, PartStep>();
  for (const step of steps) {
    const part = readPartKey(step.key);
    if (!part || (newest.get(part.base)?.rev ?? 0) > part.rev) continue;
    newest.set(part.base, { ...part, step });
  }
  return newest;
}

const ENDED: readonly StepStatus[] = ['done', 'failed', 'rejected', 'skipped'];

export const hasEnded = ({ step }: PartStep): boolean => ENDED.includes(step.status);
