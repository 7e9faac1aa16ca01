import { Text } from '@mantine/core';
import { Trans } from 'react-i18next';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { moneyTexts } from '#app/locales/money.ts';
import type { InviteView } from '#server/invites/schemas.ts';
import { InviteBadge } from './invite-badge.tsx';
import { inviteLook } from './invite-words.ts';

/** Whom I invited, and what became of it. */
export function InviteTable({ invites }: { invites: readonly InviteView[] }) {
  const t = useT(moneyTexts);
  return (
    <DataTable
      label={t('inviteTable.table')}
      rows={invites}
      rowKey={(invite) => invite.id}
      columns={[
        {
          head: t('inviteTable.who'),
          primary: true,
          cell: (invite) => <strong>{invite.inviteeName}</strong>,
        },
        {
          head: t('inviteTable.since'),
          cell: (invite) => <TimeAgo at={invite.createdAt} style="absolute" />,
        },
        { head: t('inviteTable.state'), cell: (invite) => <State invite={invite} /> },
        {
          head: t('inviteTable.reward'),
          align: 'end',
          cell: (invite) => <Reward invite={invite} />,
        },
      ]}
    />
  );
}

function Reward({ invite: { status, inviterCredits } }: { invite: InviteView }) {
  const t = useT(moneyTexts);
  switch (status) {
    case 'rewarded':
      return <CreditAmount credits={inviterCredits} signed compact />;
    case 'bound':
    case 'qualified':
      return <>{t('inviteTable.noneYet')}</>;
    case 'refused':
    case 'clawed_back':
      return <>{t('inviteTable.none')}</>;
  }
}

function State({ invite }: { invite: InviteView }) {
  const t = useT(moneyTexts);
  const { next } = inviteLook(invite.status, useLanguage());
  return (
    <div>
      <InviteBadge status={invite.status} />
      <Text size="sm" c="dimmed" mt={4}>
        {invite.status === 'qualified' && invite.dueAt ? (
          <Trans
            t={t}
            i18nKey="inviteNext.dueAt"
            components={{ moment: <TimeAgo at={invite.dueAt} style="absolute" /> }}
          />
        ) : invite.status === 'rewarded' && invite.rewardedAt ? (
          <TimeAgo at={invite.rewardedAt} style="absolute" />
        ) : (
          (invite.note ?? next)
        )}
      </Text>
    </div>
  );
}
