import { Flag, Hand, Pause, SlidersHorizontal } from 'lucide-react';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { type Look, LookBadge } from '#app/components/ui/tone-badge.tsx';
import type { CompositeView } from '#server/generation/composite/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';

type CompositeBadgeProps = {
  view: Pick<CompositeView, 'waitingFor' | 'paused' | 'stopRequested'>;
  task: Pick<TaskView, 'status' | 'cancelRequested'>;
};

/** The state of a composite: while it waits, for what. */
export function CompositeBadge({ view, task }: CompositeBadgeProps) {
  if (task.status !== 'waiting' || task.cancelRequested) {
    return <StatusBadge status={task.status} cancelRequested={task.cancelRequested} />;
  }
  return <LookBadge look={lookOf(view)} />;
}

function lookOf({ waitingFor, paused, stopRequested }: CompositeBadgeProps['view']): Look {
  if (stopRequested) return { label: 'Stopping', tone: 'idle', Icon: Flag };
  if (paused) return { label: 'Paused', tone: 'idle', Icon: Pause };
  if (waitingFor === 'user') return { label: 'Waits for you', tone: 'unsure', Icon: Hand };
  return { label: 'At work', tone: 'busy', Icon: SlidersHorizontal };
}
