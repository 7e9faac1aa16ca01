import { CircleCheck, CircleX, Hourglass, type LucideIcon, Undo2, UserRoundCheck } from 'lucide-react';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useLanguage } from '#app/lib/language.tsx';
import type { InviteStatus } from '#server/invites/schemas.ts';
import { inviteLook } from './invite-words.ts';

const ICONS: Record<InviteStatus, LucideIcon> = {
  bound: UserRoundCheck,
  qualified: Hourglass,
  rewarded: CircleCheck,
  refused: CircleX,
  clawed_back: Undo2,
};

export function InviteBadge({ status }: { status: InviteStatus }) {
  const { label, tone } = inviteLook(status, useLanguage());
  return (
    <ToneBadge tone={tone} icon={ICONS[status]}>
      {label}
    </ToneBadge>
  );
}
