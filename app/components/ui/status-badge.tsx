import {
  Ban,
  CircleCheck,
  CircleHelp,
  CircleX,
  Clock,
  Hourglass,
  type LucideIcon,
  PackageCheck,
  Send,
  SlidersHorizontal,
} from 'lucide-react';
import type { Status } from '#server/generation/status.ts';
import { type Tone, ToneBadge } from './tone-badge.tsx';

type Look = { label: string; tone: Tone; Icon: LucideIcon };

const LOOKS: Record<Status, Look> = {
  queued: { label: 'Queued', tone: 'idle', Icon: Clock },
  dispatching: { label: 'Sending', tone: 'busy', Icon: Send },
  running: { label: 'Running', tone: 'busy', Icon: SlidersHorizontal },
  uncertain: { label: 'Uncertain', tone: 'unsure', Icon: CircleHelp },
  archiving: { label: 'Saving', tone: 'busy', Icon: PackageCheck },
  waiting: { label: 'Waiting', tone: 'idle', Icon: Hourglass },
  succeeded: { label: 'Done', tone: 'good', Icon: CircleCheck },
  failed: { label: 'Failed', tone: 'bad', Icon: CircleX },
  cancelled: { label: 'Cancelled', tone: 'idle', Icon: Ban },
};

/** The word that people see for a status. */
export function statusLabel(status: Status): string {
  return LOOKS[status].label;
}

type StatusBadgeProps = {
  status: Status;
  /** A cancel was asked for and its outcome is not known yet. */
  cancelRequested?: boolean;
};

/** A status as icon, word and colour, so that none of the three is needed alone. */
export function StatusBadge({ status, cancelRequested = false }: StatusBadgeProps) {
  const { label, tone, Icon } = LOOKS[status];
  const cancelling = cancelRequested && tone !== 'good' && tone !== 'bad' && status !== 'cancelled';
  return (
    <ToneBadge tone={tone} icon={Icon}>
      {cancelling ? `${label}, cancel asked for` : label}
    </ToneBadge>
  );
}
