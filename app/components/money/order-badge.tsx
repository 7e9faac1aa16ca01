import { Ban, CircleCheck, CircleHelp, Hourglass, TimerOff, Undo2 } from 'lucide-react';
import { type Look, LookBadge } from '#app/components/ui/tone-badge.tsx';
import { useLanguage } from '#app/lib/language.tsx';
import type { Language } from '#app/locales/languages.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { OrderView } from '#server/orders/schemas.ts';
import type { OrderStatus } from '#server/orders/status.ts';
import { isDisputed } from './order-words.ts';

const LOOKS: Record<OrderStatus | 'disputed', Omit<Look, 'label'>> = {
  pending: { tone: 'busy', Icon: Hourglass },
  paid: { tone: 'good', Icon: CircleCheck },
  expired: { tone: 'idle', Icon: TimerOff },
  cancelled: { tone: 'idle', Icon: Ban },
  refunding: { tone: 'busy', Icon: Undo2 },
  refunded: { tone: 'idle', Icon: Undo2 },
  disputed: { tone: 'unsure', Icon: CircleHelp },
};

const look = (status: OrderStatus | 'disputed', language: Language): Look => ({
  ...LOOKS[status],
  label: moneyTexts.in(language)(`orderStatus.${status}`),
});

type OrderBadgeProps = { status: OrderStatus; dispute?: OrderView['dispute'] };

/** With its dispute, an order whose payment is disputed is not called refunded yet: the bank decides. */
export function OrderBadge({ status, dispute = null }: OrderBadgeProps) {
  return <LookBadge look={look(isDisputed({ status, dispute }) ? 'disputed' : status, useLanguage())} />;
}
