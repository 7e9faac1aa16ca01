import { CircleCheck, CircleHelp, CircleX, Clock, type LucideIcon, ShieldCheck } from 'lucide-react';
import { type Tone, ToneBadge } from '#app/components/ui/tone-badge.tsx';
import type { DeliveryView } from '#server/generation/webhooks/schemas.ts';

type State = DeliveryView['status'];

const STATES: Record<State, { label: string; tone: Tone; Icon: LucideIcon }> = {
  pending: { label: 'Waiting', tone: 'unsure', Icon: Clock },
  matched: { label: 'Matched', tone: 'good', Icon: CircleCheck },
  refused: { label: 'Refused', tone: 'bad', Icon: CircleX },
};

/** The word that people see for the state of a delivery. */
export function deliveryLabel(state: State): string {
  return STATES[state].label;
}

/** What became of a delivery, and how far it can be believed. A refused one is believed in nothing. */
export function DeliveryBadges({ delivery }: { delivery: Pick<DeliveryView, 'status' | 'verified'> }) {
  const { label, tone, Icon } = STATES[delivery.status];
  return (
    <>
      <ToneBadge tone={tone} icon={Icon}>
        {label}
      </ToneBadge>
      {delivery.status === 'refused' ? null : delivery.verified ? (
        <ToneBadge tone="good" icon={ShieldCheck}>
          Verified
        </ToneBadge>
      ) : (
        <ToneBadge tone="idle" icon={CircleHelp}>
          Only a hint
        </ToneBadge>
      )}
    </>
  );
}
