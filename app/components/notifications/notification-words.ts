import type { TFunction } from 'i18next';
import {
  AlertTriangle,
  CircleCheck,
  CircleHelp,
  CircleSlash,
  CircleX,
  Coins,
  Gift,
  type LucideIcon,
  MessageCircleQuestion,
  Undo2,
  Unplug,
} from 'lucide-react';
import type { Tone } from '#app/components/ui/tone-badge.tsx';
import type { Format } from '#app/lib/use-format.ts';
import type { NotificationType, NotificationView } from '#server/notifications/schemas.ts';

type Told = Pick<NotificationView, 'id' | 'type' | 'taskId' | 'data' | 'prompt'>;

export const NOTIFICATION_LOOKS: Readonly<Record<NotificationType, { tone: Tone; Icon: LucideIcon }>> = {
  'task.succeeded': { tone: 'good', Icon: CircleCheck },
  'task.failed': { tone: 'bad', Icon: CircleX },
  'task.cancelled': { tone: 'idle', Icon: CircleSlash },
  'task.uncertain': { tone: 'unsure', Icon: CircleHelp },
  'task.needs_you': { tone: 'busy', Icon: MessageCircleQuestion },
  'task.late_success': { tone: 'good', Icon: CircleCheck },
  'order.paid': { tone: 'good', Icon: Coins },
  'order.refunded': { tone: 'idle', Icon: Undo2 },
  'invite.rewarded': { tone: 'good', Icon: Gift },
  'webhook.disabled': { tone: 'bad', Icon: Unplug },
};
export const UNKNOWN_LOOK = { tone: 'idle' as Tone, Icon: AlertTriangle };

const KINDS = ['image', 'video', 'audio', 'text', 'agent', 'drama'] as const;
type Kind = (typeof KINDS)[number];
const kindOf = (kind: unknown): Kind => KINDS.find((each) => each === kind) ?? 'image';

type Key<Type extends string> = Type extends `${infer Head}.${infer Tail}` ? `${Head}_${Tail}` : Type;

/** `task.failed` under the name that it has in the files of texts, where a dot parts keys. */
export const textKey = <Type extends string>(type: Type): Key<Type> => type.replace('.', '_') as Key<Type>;

/** What has happened, in a few words. */
export function titleOf(t: TFunction<'notifications'>, { type, data }: Pick<Told, 'type' | 'data'>): string {
  return t(`types.${textKey(type)}`, { kind: t(`kind.${kindOf(data.kind)}`) });
}

/** What follows from it, in a sentence. Null when the title says all. */
export function detailOf(
  t: TFunction<'notifications'>,
  format: Pick<Format, 'money'>,
  { type, data }: Pick<Told, 'type' | 'data'>,
): string | null {
  const count = Number(data.credits ?? 0);
  switch (type) {
    case 'task.succeeded':
      return t('details.charged', { count });
    case 'task.cancelled':
      return count > 0 ? t('details.charged', { count }) : t('details.refunded');
    case 'task.failed':
      return count > 0 ? t('details.charged', { count }) : t('details.refunded');
    case 'task.uncertain':
      return t('details.uncertain');
    case 'task.late_success':
      return t('details.late');
    case 'task.needs_you':
      return null;
    case 'order.paid':
      return t('details.order', { count, title: String(data.title ?? '') });
    case 'order.refunded':
      return t('details.refund', {
        title: String(data.title ?? ''),
        money: format.money(Number(data.amountMinor ?? 0), String(data.currency ?? 'USD')),
      });
    case 'invite.rewarded':
      return t(data.side === 'invitee' ? 'details.invitee' : 'details.inviter', { count });
    case 'webhook.disabled':
      return t(data.reason === 'gone' ? 'details.webhook_gone' : 'details.webhook_failing', {
        host: String(data.host ?? ''),
      });
  }
}
