import { CircleCheck, CircleHelp, CircleX, Clock, ShieldCheck } from 'lucide-react';
import { type Look, LookBadge, ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { attentionTexts } from '#app/locales/attention.ts';
import type { DeliveryView } from '#server/generation/webhooks/schemas.ts';

type State = DeliveryView['status'];

const STATES: Record<State, Omit<Look, 'label'>> = {
  pending: { tone: 'unsure', Icon: Clock },
  matched: { tone: 'good', Icon: CircleCheck },
  refused: { tone: 'bad', Icon: CircleX },
};

/** What became of a delivery, and how far it can be believed. A refused one is believed in nothing. */
export function DeliveryBadges({ delivery }: { delivery: Pick<DeliveryView, 'status' | 'verified'> }) {
  const t = useT(attentionTexts);
  return (
    <>
      <LookBadge look={{ ...STATES[delivery.status], label: t(`inbox.states.${delivery.status}`) }} />
      {delivery.status === 'refused' ? null : delivery.verified ? (
        <ToneBadge tone="good" icon={ShieldCheck}>
          {t('inbox.verified')}
        </ToneBadge>
      ) : (
        <ToneBadge tone="idle" icon={CircleHelp}>
          {t('inbox.hint')}
        </ToneBadge>
      )}
    </>
  );
}
