import type { TFunction } from 'i18next';
import { failureSentence } from '#app/components/task-card/coded-words.ts';
import type { Say } from '#app/components/task-card/say.ts';
import type { Format } from '#app/lib/use-format.ts';
import type { DramaPartView, DramaPhase, DramaView, ShotPart } from '#server/generation/drama/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import type { Said } from './plan-edit.ts';
import type { Thing } from './plan-removals.ts';

/** Pure texts about dramas, and what of a drama is counted. */

export type DramaTexts = TFunction<'drama'>;

export const STEPS = [
  { phases: ['storyboard'], name: 'storyboard' },
  { phases: ['review'], name: 'review' },
  { phases: ['shots', 'failed_parts'], name: 'shots' },
  { phases: ['composing'], name: 'film' },
] as const satisfies readonly { phases: readonly DramaPhase[]; name: string }[];

/** What is going on, in one sentence. */
export function phaseSentence(
  view: Pick<DramaView, 'phase' | 'task' | 'film' | 'modelTitles'>,
  { t, say }: { t: DramaTexts; say: Say },
): string {
  const { status, failure } = view.task;
  // Without a reason by code in words of its own, which `useServerWords` translates.
  if (status === 'failed') return failure?.reason === null ? failure.message : failureSentence(say, failure);
  if (status === 'cancelled') return t('phase.cancelled');
  if (status === 'succeeded') return t(view.film ? 'phase.done' : 'phase.ended');
  switch (view.phase) {
    case 'storyboard':
      return t('phase.storyboard', { model: view.modelTitles.storyboard });
    case 'review':
    case 'shots':
      return t(`phase.${view.phase}`);
    case 'failed_parts':
      return t('phase.failedParts');
    case 'composing':
    case 'done':
      return t('phase.composing');
  }
}

export type NamedPart = { shotId: string; index: number; part: ShotPart; view: DramaPartView };

/** All parts of all shots that belong to the film, in order; `index` is the place of the shot, from 0. */
export function listParts(shots: DramaView['shots']): NamedPart[] {
  return shots.flatMap(({ id, ...parts }, index) =>
    (['picture', 'clip', 'voice'] as const).flatMap((part) => {
      const view = parts[part];
      return view ? [{ shotId: id, index, part, view }] : [];
    }),
  );
}

/** "Shot 2, clip". */
export const partLabel = ({ index, part }: Pick<NamedPart, 'index' | 'part'>, t: DramaTexts): string =>
  t('parts.label', { number: index + 1, part: t(`parts.${part}`) });

const hasEnded = ({ status }: DramaPartView): boolean =>
  status === 'done' || status === 'failed' || status === 'rejected' || status === 'skipped';

/** Of these parts: how many there are, are done, and have ended without a result. */
export function countParts(parts: readonly NamedPart[]) {
  const done = parts.filter(({ view }) => view.status === 'done').length;
  const missing = parts.filter(({ view }) => hasEnded(view) && view.status !== 'done').length;
  return { total: parts.length, done, missing };
}

/** "5 of 9 parts are done, 1 could not be made." */
export function progressWords(
  { total, done, missing }: ReturnType<typeof countParts>,
  { t, format }: { t: DramaTexts; format: Pick<Format, 'integer'> },
): string {
  if (total === 0) return t('progress.none');
  const values = { count: total, done: format.integer(done), missing: format.integer(missing) };
  return t(missing > 0 ? 'progress.lost' : 'progress.done', values);
}

/** What a part without a task of its own and without a problem waits for, or why there is none. */
export function partSentence({ status }: DramaPartView, isEnded: boolean, t: DramaTexts): string {
  switch (status) {
    case 'planned':
      return t(isEnded ? 'parts.notStarted' : 'parts.inLine');
    case 'awaiting':
    case 'running':
      return t('parts.starting');
    case 'done':
    case 'skipped':
      return t(`parts.${status}`);
    case 'failed':
    case 'rejected':
      return t('parts.failed');
  }
}

/** A shot, a character or a scene by its own name, else by its place. */
export const thingName = ({ list, number, name }: Thing, t: DramaTexts): string =>
  name || t(`things.${list}`, { number });

/** What a button of the storyboard did. */
export function saidWords(said: Said, t: DramaTexts): string {
  if (said.key === 'removed' || said.key === 'back') {
    return t(`said.${said.key}`, { name: thingName(said.thing, t) });
  }
  const { key, ...values } = said;
  return t(`said.${key}`, values);
}

/** Whether parts may be made anew: the work has ended and had a storyboard. */
export function canRedo(view: Pick<DramaView, 'task' | 'plan'>): boolean {
  return isTerminal(view.task.status) && view.plan !== null;
}

/** Whether there is something to put together: a shot with its clip, or its picture in a film of still pictures. */
export function canCompose(view: Pick<DramaView, 'task' | 'plan' | 'shots' | 'settings'>): boolean {
  const visual = view.settings.models.clip === undefined ? 'picture' : 'clip';
  return canRedo(view) && view.shots.some((shot) => shot[visual]?.status === 'done');
}

/** Number of a version as people count, from 1; 0 for one that is not there. */
export function versionNumber(versions: DramaView['versions'], taskId: string): number {
  return versions.findIndex((version) => version.taskId === taskId) + 1;
}
