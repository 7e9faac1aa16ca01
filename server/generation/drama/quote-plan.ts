import { type DramaModels, makesOf, orderPart } from './order-part.ts';
import { listParts, type Part } from './parts.ts';
import type { DramaPlan, DramaSettings, ShotCost } from './schemas.ts';

export type PricedPart = Part & { credits: number };

/** A plan's exact price: the sum of its parts, each by the price rule of its model. */
export type PlanQuote = {
  parts: PricedPart[];
  shots: Record<string, ShotCost>;
  characterCredits: number;
  totalCredits: number;
  seconds: number;
  /** What cannot be ordered as it is planned, in words for the user. */
  problems: string[];
};

export const TITLE_CARD_SECONDS = 2;

export function quotePlan(
  plan: DramaPlan,
  settings: Pick<DramaSettings, 'ratio' | 'titleCard'>,
  models: DramaModels,
): PlanQuote {
  const parts: PricedPart[] = [];
  const problems: string[] = [];
  const shots: Record<string, ShotCost> = Object.fromEntries(
    plan.shots.map(({ id }) => [id, { pictureCredits: 0, clipCredits: 0, voiceCredits: 0 }]),
  );
  let characterCredits = 0;
  for (const part of listParts(plan, makesOf(models))) {
    const order = orderPart(part, { plan, ratio: settings.ratio, models });
    if ('problem' in order) {
      problems.push(`${describePart(part, plan)}: ${order.problem}`);
      continue;
    }
    parts.push({ ...part, credits: order.credits });
    const cost = shots[part.ownerId];
    if (part.name === 'character') characterCredits += order.credits;
    else if (cost) cost[`${part.name}Credits`] = order.credits;
  }
  const spoken = plan.shots.reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    parts,
    shots,
    characterCredits,
    totalCredits: parts.reduce((sum, { credits }) => sum + credits, 0),
    seconds: spoken + (settings.titleCard ? TITLE_CARD_SECONDS : 0),
    problems,
  };
}

/** "Shot 3, clip". */
export function describePart({ name, ownerId }: Part, plan: DramaPlan): string {
  if (name === 'character') {
    return `Character ${plan.characters.find(({ id }) => id === ownerId)?.name ?? ownerId}`;
  }
  return `Shot ${plan.shots.findIndex(({ id }) => id === ownerId) + 1}, ${name}`;
}
