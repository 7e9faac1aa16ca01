import type { DramaPlan, ShotCost, ShotPart } from '#server/generation/drama/schemas.ts';
import type { DramaTexts } from './drama-words.ts';

export function creditsOf(cost: ShotCost, part: ShotPart): number {
  return { picture: cost.pictureCredits, clip: cost.clipCredits, voice: cost.voiceCredits }[part];
}

export const shotCredits = (cost: ShotCost): number =>
  cost.pictureCredits + cost.clipCredits + cost.voiceCredits;

/** "4 picture + 10 clip": only parts that cost something; empty when nothing does. */
export function costWords(cost: ShotCost, t: DramaTexts): string {
  return (['picture', 'clip', 'voice'] as const)
    .filter((part) => creditsOf(cost, part) > 0)
    .map((part) => t(`shot.cost.${part}`, { credits: creditsOf(cost, part) }))
    .join(' + ');
}

/** Seconds of the shots together, as far as they are numbers while somebody types. */
export const planSeconds = (plan: DramaPlan): number =>
  plan.shots.reduce((sum, { seconds }) => sum + (Number.isFinite(seconds) ? seconds : 0), 0);
