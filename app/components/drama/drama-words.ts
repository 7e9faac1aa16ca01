import { formatInteger } from '#app/lib/format.ts';
import type {
  DramaPartView,
  DramaPhase,
  DramaSettings,
  DramaView,
  ShotPart,
} from '#server/generation/drama/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';

/** Pure texts about dramas, and what of a drama is counted. */

export const PART_NAMES = { picture: 'picture', clip: 'clip', voice: 'voice' } as const satisfies Record<
  ShotPart,
  string
>;

export const CAPTION_WORDS = {
  burnt: 'Drawn into the picture',
  soft: 'A track that players can switch on',
  none: 'None',
} as const satisfies Record<DramaSettings['captions'], string>;

export const STEPS = [
  { phases: ['storyboard'], label: 'Storyboard' },
  { phases: ['review'], label: 'Review' },
  { phases: ['shots', 'failed_parts'], label: 'Shots' },
  { phases: ['composing'], label: 'Film' },
] as const satisfies readonly { phases: readonly DramaPhase[]; label: string }[];

/** What is going on, in one sentence. */
export function phaseSentence(view: Pick<DramaView, 'phase' | 'task' | 'film' | 'modelTitles'>): string {
  const { status, failure } = view.task;
  if (status === 'failed') return failure?.message ?? 'It failed.';
  if (status === 'cancelled') return 'Cancelled. What was made until then is yours.';
  if (status === 'succeeded') return view.film ? 'The film is done.' : 'It has ended with what is there.';
  switch (view.phase) {
    case 'storyboard':
      return `${view.modelTitles.storyboard} is writing the storyboard. You can close this page.`;
    case 'review':
      return 'The storyboard is ready. Nothing is made or charged for it before you start the shots.';
    case 'shots':
      return 'The shots are being made. You can close this page.';
    case 'failed_parts':
      return 'Some parts could not be made. Decide how to go on.';
    case 'composing':
    case 'done':
      return 'The film is being put together. You can close this page.';
  }
}

export type NamedPart = { shotId: string; part: ShotPart; label: string; view: DramaPartView };

/** All parts of all shots that belong to the film, in order: "Shot 2, clip". */
export function listParts(shots: DramaView['shots']): NamedPart[] {
  return shots.flatMap(({ id, ...parts }, index) =>
    (['picture', 'clip', 'voice'] as const).flatMap((part) => {
      const view = parts[part];
      return view ? [{ shotId: id, part, label: partLabel(index, part), view }] : [];
    }),
  );
}

export const partLabel = (index: number, part: ShotPart): string => `Shot ${index + 1}, ${PART_NAMES[part]}`;

const hasEnded = ({ status }: DramaPartView): boolean =>
  status === 'done' || status === 'failed' || status === 'rejected' || status === 'skipped';

/** Of these parts: how many there are, are done, and have ended without a result. */
export function countParts(parts: readonly NamedPart[]) {
  const done = parts.filter(({ view }) => view.status === 'done').length;
  const missing = parts.filter(({ view }) => hasEnded(view) && view.status !== 'done').length;
  return { total: parts.length, done, missing };
}

/** "5 of 9 parts are done, 1 could not be made." */
export function progressWords({ total, done, missing }: ReturnType<typeof countParts>): string {
  if (total === 0) return 'Nothing was started.';
  const lost = missing > 0 ? `, ${formatInteger(missing)} could not be made` : '';
  return `${formatInteger(done)} of ${formatInteger(total)} ${total === 1 ? 'part is' : 'parts are'} done${lost}.`;
}

/** What a part without a task of its own waits for, or why there is none. */
export function partSentence(view: DramaPartView, isEnded: boolean): string {
  if (view.problem) return view.problem;
  switch (view.status) {
    case 'planned':
      return isEnded
        ? 'It was not started.'
        : 'In line: it starts when there is room and what it is made from is there.';
    case 'awaiting':
    case 'running':
      return 'Being started.';
    case 'done':
      return 'Done.';
    case 'failed':
    case 'rejected':
      return 'It could not be made.';
    case 'skipped':
      return 'Left out.';
  }
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
