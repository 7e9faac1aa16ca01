import { formatCredits } from '#app/lib/format.ts';
import type { DramaPlan, DramaQuoteView, ShotCost, ShotPart } from '#server/generation/drama/schemas.ts';

export function creditsOf(cost: ShotCost, part: ShotPart): number {
  return { picture: cost.pictureCredits, clip: cost.clipCredits, voice: cost.voiceCredits }[part];
}

export const shotCredits = (cost: ShotCost): number =>
  cost.pictureCredits + cost.clipCredits + cost.voiceCredits;

/** "4 picture + 10 clip": only parts that cost something; empty when nothing does. */
export function costWords(cost: ShotCost): string {
  const parts: [string, number][] = [
    ['picture', cost.pictureCredits],
    ['clip', cost.clipCredits],
    ['voice', cost.voiceCredits],
  ];
  return parts
    .filter(([, credits]) => credits > 0)
    .map(([name, credits]) => `${credits} ${name}`)
    .join(' + ');
}

/** Seconds of the shots together, as far as they are numbers while somebody types. */
export const planSeconds = (plan: DramaPlan): number =>
  plan.shots.reduce((sum, { seconds }) => sum + (Number.isFinite(seconds) ? seconds : 0), 0);

/** What starting holds and what it means, in a sentence. */
export function startWords(quote: DramaQuoteView): string {
  if (quote.totalCredits === 0) return 'The shots are free.';
  if (!quote.affordable) {
    return `Not enough credits: the shots need ${formatCredits(quote.totalCredits)}, you have ${formatCredits(quote.balanceCredits)}.`;
  }
  return `${formatCredits(quote.totalCredits)} are held when the shots start; that is also the most they can cost. What is not used comes back.`;
}
