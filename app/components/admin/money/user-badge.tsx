import { Ban, UserX } from 'lucide-react';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { UserMoneyRow } from '#server/billing/schemas.ts';

/** Says when an account is not an ordinary one. */
export function UserBadge({ user }: { user: Pick<UserMoneyRow, 'disabled' | 'deleted'> }) {
  const t = useT(adminMoneyTexts);
  if (user.deleted) {
    return (
      <ToneBadge tone="idle" icon={UserX}>
        {t('people.closed')}
      </ToneBadge>
    );
  }
  if (!user.disabled) return null;
  return (
    <ToneBadge tone="bad" icon={Ban}>
      {t('people.disabled')}
    </ToneBadge>
  );
}
