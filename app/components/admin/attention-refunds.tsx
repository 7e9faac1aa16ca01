import { Anchor, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { attentionTexts } from '#app/locales/attention.ts';
import type { AttentionView } from '#server/generation/schemas.ts';

/** Refunds whose tries are used up: owed, and not yet in the ledger. */
export function AttentionRefunds({ refunds }: { refunds: AttentionView['refunds'] }) {
  const t = useT(attentionTexts);
  return (
    <DataTable
      label={t('refunds.title')}
      rows={refunds}
      rowKey={(refund) => refund.taskId}
      columns={[
        {
          head: t('owedTo'),
          primary: true,
          cell: (refund) => (
            <>
              <Anchor component={Link} to={`/admin/tasks/${refund.taskId}`} fw={600}>
                {refund.userEmail}
              </Anchor>
              <Text size="sm" c="dimmed">
                {t('refunds.task', { taskId: refund.taskId })}
              </Text>
            </>
          ),
        },
        {
          head: t('amount'),
          align: 'end',
          cell: (refund) => <CreditAmount credits={refund.amountCredits} />,
        },
        { head: t('since'), cell: (refund) => <TimeAgo at={refund.createdAt} style="both" /> },
        { head: t('whyStopped'), cell: (refund) => refund.lastError ?? t('noReason') },
      ]}
    />
  );
}
