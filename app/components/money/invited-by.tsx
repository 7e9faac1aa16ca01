import { Trans } from 'react-i18next';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { MyInvites } from '#server/invites/schemas.ts';
import classes from './money.module.css';

type InvitedByProps = {
  invitedBy: NonNullable<MyInvites['invitedBy']>;
  /** The code was entered a moment ago. */
  justNow: boolean;
};

/** Who invited me, and what I get for it. */
export function InvitedBy({ invitedBy, justNow }: InvitedByProps) {
  const t = useT(moneyTexts);
  return (
    <p className={classes.text} role={justNow ? 'status' : undefined}>
      <Trans
        t={t}
        i18nKey="invitedBy.who"
        values={{ name: invitedBy.name }}
        components={{ strong: <strong /> }}
      />{' '}
      <Reward invitedBy={invitedBy} />
    </p>
  );
}

function Reward({ invitedBy: { status, inviteeCredits, dueAt } }: Pick<InvitedByProps, 'invitedBy'>) {
  const t = useT(moneyTexts);
  const format = useFormat();
  switch (status) {
    case 'bound':
    case 'refused':
    case 'clawed_back':
      return t(`invitedBy.${status}`);
    case 'qualified':
      return dueAt ? (
        <Trans
          t={t}
          i18nKey="invitedBy.dueAt"
          components={{ moment: <TimeAgo at={dueAt} style="absolute" /> }}
        />
      ) : (
        t('invitedBy.soon')
      );
    case 'rewarded':
      return inviteeCredits > 0 ? t('invitedBy.rewarded', { credits: format.credits(inviteeCredits) }) : null;
  }
}
