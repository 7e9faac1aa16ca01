import {
  Ban,
  CircleCheck,
  CircleHelp,
  CircleX,
  Clock,
  Hourglass,
  PackageCheck,
  Send,
  SlidersHorizontal,
} from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import type { Language } from '#app/locales/languages.ts';
import { statesTexts } from '#app/locales/states.ts';
import type { Status } from '#server/generation/status.ts';
import { type Look, ToneBadge } from './tone-badge.tsx';

const LOOKS: Record<Status, Omit<Look, 'label'>> = {
  queued: { tone: 'idle', Icon: Clock },
  dispatching: { tone: 'busy', Icon: Send },
  running: { tone: 'busy', Icon: SlidersHorizontal },
  uncertain: { tone: 'unsure', Icon: CircleHelp },
  archiving: { tone: 'busy', Icon: PackageCheck },
  waiting: { tone: 'idle', Icon: Hourglass },
  succeeded: { tone: 'good', Icon: CircleCheck },
  failed: { tone: 'bad', Icon: CircleX },
  cancelled: { tone: 'idle', Icon: Ban },
};

/** The word that people see for a status. */
export function statusLabel(status: Status, language: Language = 'en'): string {
  return statesTexts.in(language)(`status.${status}`);
}

type StatusBadgeProps = {
  status: Status;
  /** A cancel was asked for and its outcome is not known yet. */
  cancelRequested?: boolean;
};

/** A status as icon, word and colour, so that none of the three is needed alone. */
export function StatusBadge({ status, cancelRequested = false }: StatusBadgeProps) {
  const t = useT(statesTexts);
  const { tone, Icon } = LOOKS[status];
  const label = t(`status.${status}`);
  const cancelling = cancelRequested && tone !== 'good' && tone !== 'bad' && status !== 'cancelled';
  return (
    <ToneBadge tone={tone} icon={Icon}>
      {cancelling ? t('cancelAsked', { status: label }) : label}
    </ToneBadge>
  );
}
