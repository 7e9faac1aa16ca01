import { Flag, Hand, Pause, SlidersHorizontal } from 'lucide-react';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { type Look, LookBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { compositeTexts } from '#app/locales/composite.ts';
import type { CompositeView } from '#server/generation/composite/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';

type CompositeBadgeProps = {
  view: Pick<CompositeView, 'waitingFor' | 'paused' | 'stopRequested'>;
  task: Pick<TaskView, 'status' | 'cancelRequested'>;
};

/** The state of a composite: while it waits, for what. */
export function CompositeBadge({ view, task }: CompositeBadgeProps) {
  const t = useT(compositeTexts);
  if (task.status !== 'waiting' || task.cancelRequested) {
    return <StatusBadge status={task.status} cancelRequested={task.cancelRequested} />;
  }
  const { state, ...look } = lookOf(view);
  return <LookBadge look={{ ...look, label: t(`badge.${state}`) }} />;
}

type State = 'stopping' | 'paused' | 'waitsForYou' | 'atWork';

function lookOf({
  waitingFor,
  paused,
  stopRequested,
}: CompositeBadgeProps['view']): Omit<Look, 'label'> & { state: State } {
  if (stopRequested) return { state: 'stopping', tone: 'idle', Icon: Flag };
  if (paused) return { state: 'paused', tone: 'idle', Icon: Pause };
  if (waitingFor === 'user') return { state: 'waitsForYou', tone: 'unsure', Icon: Hand };
  return { state: 'atWork', tone: 'busy', Icon: SlidersHorizontal };
}
