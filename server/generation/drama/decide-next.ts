import type { Kind } from '../status.ts';
import { hasEnded, KIND_OF, type PartStep } from './parts.ts';
import type { DramaPlan } from './schemas.ts';

/** What a part's child came to; null while it is under way, or before there is one. */
export type PartEnd = { delivered: boolean; problem: string };

export type PartChange = { key: string; to: 'done' | 'failed' | 'skipped'; problem?: string };

export type ShotsDecision =
  /** Children have ended, or parts can never be made: write it down. */
  | { type: 'record'; changes: PartChange[] }
  | { type: 'start'; parts: PartStep[] }
  | { type: 'wait' }
  | { type: 'failed_parts' }
  | { type: 'compose' };

/**
 * What comes next while a film's parts are made: first what has ended is written down, then everything that is ready is
 * started, up to the caps. One part that fails stops only what is made of it. Pure.
 *
 * @param endOf what became of a running part's child
 */
export function decideShots(input: {
  plan: DramaPlan;
  /** Newest step of every part, by its base. */
  parts: ReadonlyMap<string, PartStep>;
  endOf(part: PartStep): PartEnd | null;
  /** Children at once, by kind. */
  caps: Readonly<Record<Kind, number>>;
}): ShotsDecision {
  const parts = [...input.parts.values()];
  const changes = parts.flatMap((part) => changeOf(part, input));
  if (changes.length > 0) return { type: 'record', changes };

  const ready = parts.filter((part) => part.step.status === 'planned' && isReady(part, input));
  const starts = withinCaps(ready, parts, input.caps);
  if (starts.length > 0) return { type: 'start', parts: starts };
  if (parts.some((part) => !hasEnded(part))) return { type: 'wait' };
  return parts.some(isMissed) ? { type: 'failed_parts' } : { type: 'compose' };
}

/** A character's picture only helps others: a film can do without it, and nobody is asked. */
const isMissed = ({ name, step }: PartStep): boolean => name !== 'character' && step.status === 'failed';

function changeOf(
  part: PartStep,
  input: Pick<Parameters<typeof decideShots>[0], 'parts' | 'endOf'>,
): PartChange[] {
  const { key, status } = part.step;
  if (status === 'running') {
    const end = input.endOf(part);
    if (!end) return [];
    return [end.delivered ? { key, to: 'done' } : { key, to: 'failed', problem: end.problem }];
  }
  if (status !== 'planned' || !isMadeOfPicture(part)) return [];
  const picture = pictureOf(part, input.parts);
  if (!picture || !hasEnded(picture) || picture.step.status === 'done') return [];
  return [{ key, to: 'skipped', problem: 'The picture of this shot is missing.' }];
}

const isMadeOfPicture = ({ name }: PartStep): boolean => name === 'clip' || name === 'voice';

const pictureOf = ({ ownerId }: PartStep, parts: ReadonlyMap<string, PartStep>): PartStep | undefined =>
  parts.get(`shot:${ownerId}:picture`);

/** Pictures wait for those of their characters, clips and voices for the picture: nobody pays for a shot that is not shown. */
function isReady(
  part: PartStep,
  { plan, parts }: Pick<Parameters<typeof decideShots>[0], 'plan' | 'parts'>,
): boolean {
  if (part.name === 'character') return true;
  if (part.name !== 'picture') return pictureOf(part, parts)?.step.status === 'done';
  const shot = plan.shots.find(({ id }) => id === part.ownerId);
  return (shot?.characterIds ?? []).every((id) => {
    const character = parts.get(`character:${id}`);
    return !character || hasEnded(character);
  });
}

function withinCaps(
  ready: readonly PartStep[],
  parts: readonly PartStep[],
  caps: Readonly<Record<Kind, number>>,
): PartStep[] {
  const running = parts.filter(({ step }) => step.status === 'running').map(({ name }) => KIND_OF[name]);
  const used = new Map<Kind, number>();
  for (const kind of running) used.set(kind, (used.get(kind) ?? 0) + 1);
  return ready.filter(({ name }) => {
    const kind = KIND_OF[name];
    const count = used.get(kind) ?? 0;
    if (count >= caps[kind]) return false;
    used.set(kind, count + 1);
    return true;
  });
}
