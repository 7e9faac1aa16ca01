import type { ChildRow, CompositeRow, OutputRow, StepRow } from '../composite/queries.ts';
import { isTerminal } from '../status.ts';
import type { PartEnd } from './decide-next.ts';
import { KIND_OF, newestParts, type PartStep } from './parts.ts';
import type { DramaPlan, DramaSettings } from './schemas.ts';

/** Reads what a drama's rows say. Pure. */

type Children = ReadonlyMap<string, ChildRow>;

/** As it was checked when the order was accepted. */
export const settingsOf = ({ settings }: Pick<CompositeRow, 'settings'>): DramaSettings =>
  settings as DramaSettings;

/** Written only after it was checked. */
export const planOf = ({ plan }: Pick<CompositeRow, 'plan'>): DramaPlan | null => plan as DramaPlan | null;

/** How many shots a storyboard has, in words. */
export const countShots = ({ shots }: Pick<DramaPlan, 'shots'>): string =>
  shots.length === 1 ? '1 shot' : `${shots.length} shots`;

export const problemOf = ({ result }: Pick<StepRow, 'result'>): string | null =>
  typeof result?.problem === 'string' ? result.problem : null;

/** What a part's child has made; undefined while there is nothing that can be used (any more). */
export function outputOf({ name, step }: PartStep, children: Children): OutputRow | undefined {
  const child = step.childTaskId === null ? undefined : children.get(step.childTaskId);
  return child?.outputs.find(({ kind, removedAt }) => kind === KIND_OF[name] && removedAt === null);
}

/** What became of a running part; null while its child is under way. */
export function endOfPart(part: PartStep, children: Children): PartEnd | null {
  const child = part.step.childTaskId === null ? undefined : children.get(part.step.childTaskId);
  if (!child) return { delivered: false, problem: 'Its task is not there any more.' };
  const { status } = child.task;
  if (!isTerminal(status)) return null;
  // A result that came after a failure was refunded: it is the user's, but no part of what was ordered.
  const delivered = status !== 'failed' && outputOf(part, children) !== undefined;
  const fallback = status === 'cancelled' ? 'It was cancelled.' : 'It could not be made.';
  return { delivered, problem: child.failureMessage ?? fallback };
}

/**
 * What a part has made for its film. Also where a cancel ended the film before its step was closed: it was delivered and
 * charged all the same.
 */
export function deliveredOf(part: PartStep, children: Children): OutputRow | undefined {
  const { status } = part.step;
  const isDelivered =
    status === 'done' || (status === 'running' && endOfPart(part, children)?.delivered === true);
  return isDelivered ? outputOf(part, children) : undefined;
}

/** A shot that can be shown: what it is made of, so far as it is there. */
export type UsableShot = {
  id: string;
  visual: { type: 'clip' | 'picture'; output: OutputRow };
  voice: OutputRow | null;
};

/** Shots in the plan's order. Without its picture, or its clip where clips are made, a shot is left out; without a voice it is silent. */
export function usableShots(state: {
  composite: Pick<CompositeRow, 'plan' | 'settings'>;
  steps: readonly StepRow[];
  children: Children;
}): UsableShot[] {
  const parts = newestParts(state.steps);
  const { models } = settingsOf(state.composite);
  const made = (shotId: string, name: string): OutputRow | undefined => {
    const part = parts.get(`shot:${shotId}:${name}`);
    return part?.step.status === 'done' ? outputOf(part, state.children) : undefined;
  };
  return (planOf(state.composite)?.shots ?? []).flatMap(({ id }) => {
    const type = models.clip === undefined ? 'picture' : 'clip';
    const output = made(id, type);
    if (!output || !made(id, 'picture')) return [];
    return [{ id, visual: { type, output } as const, voice: made(id, 'voice') ?? null }];
  });
}
