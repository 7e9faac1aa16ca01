import { Hand, Hourglass, Pause, SlidersHorizontal } from 'lucide-react';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { type Tone, ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { statesTexts } from '#app/locales/states.ts';
import type { TaskView } from '#server/generation/schemas.ts';

/** The state of a task; of an agent or drama that waits, whether it works or waits for a person. */
export function TaskBadge({
  task,
}: {
  task: Pick<TaskView, 'status' | 'cancelRequested' | 'waitingReason'>;
}) {
  const t = useT(statesTexts);
  const phase =
    task.status === 'waiting' && !task.cancelRequested && task.waitingReason
      ? phaseOf(task.waitingReason.code)
      : null;
  if (!phase) return <StatusBadge status={task.status} cancelRequested={task.cancelRequested} />;
  const { tone, Icon } = PHASES[phase];
  return (
    <ToneBadge tone={tone} icon={Icon}>
      {t(`phase.${phase}`)}
    </ToneBadge>
  );
}

const PHASES = {
  atWork: { tone: 'busy', Icon: SlidersHorizontal },
  waitsForYou: { tone: 'unsure', Icon: Hand },
  paused: { tone: 'idle', Icon: Pause },
  inTurn: { tone: 'idle', Icon: Hourglass },
} as const satisfies Record<string, { tone: Tone; Icon: unknown }>;

function phaseOf(code: string): keyof typeof PHASES | null {
  switch (code) {
    case 'waits_for_you':
      return 'waitsForYou';
    case 'paused':
      return 'paused';
    case 'agents_at_cap':
    case 'dramas_at_cap':
      return 'inTurn';
    case 'steps_at_work':
    case 'about_to_begin':
    case 'steps_done':
      return 'atWork';
    default:
      return null;
  }
}
