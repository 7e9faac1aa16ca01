import { RowCheck } from '#app/components/admin/lists/bulk-bar.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { TaskRefundView } from '#server/billing/schemas.ts';
import { MoneyBadge } from './money-badge.tsx';
import { ReasonForm } from './reason-form.tsx';
import { RefundAbout, RefundDeeds } from './refund-cells.tsx';
import { RefundProgress } from './refund-progress.tsx';
import { UserLink } from './user-link.tsx';

/** Credits on their way back from tasks; what waits for a person can be tried again or voided. */
export function TaskRefundTable({ refunds }: { refunds: readonly TaskRefundView[] }) {
  const t = useT(adminMoneyTexts);
  return (
    <DataTable
      label={t('refunds.tasksTable')}
      rows={refunds}
      rowKey={(refund) => refund.id}
      columns={[
        {
          head: t('refunds.refund'),
          primary: true,
          cell: (refund) => (
            <RefundAbout
              check={<RowCheck id={refund.id} what={refund.userEmail} />}
              who={<UserLink userId={refund.userId} email={refund.userEmail} />}
              reason={refund.reason}
              subject={{ to: `/admin/tasks/${refund.taskId}`, label: t('refunds.showTask') }}
            />
          ),
        },
        { head: t('refunds.status'), cell: (refund) => <MoneyBadge of="taskRefund" state={refund.status} /> },
        {
          head: t('refunds.amount'),
          align: 'end',
          cell: (refund) => <CreditAmount credits={refund.amountCredits} compact />,
        },
        { head: t('refunds.since'), cell: (refund) => <TimeAgo at={refund.createdAt} /> },
        { head: t('refunds.progress'), cell: (refund) => <RefundProgress refund={refund} /> },
        {
          head: t('refunds.decide'),
          align: 'end',
          cell: (refund) => (refund.status === 'manual' ? <Deeds refund={refund} /> : null),
        },
      ]}
    />
  );
}

function Deeds({ refund }: { refund: TaskRefundView }) {
  const t = useT(adminMoneyTexts);
  const { id, userEmail } = refund;
  return (
    <RefundDeeds
      refund={refund}
      retryIntent="retry-refund"
      summary={t('refunds.voidIt')}
      intents={['void-refund']}
    >
      <ReasonForm
        intent="void-refund"
        id={id}
        values={{ refundId: id }}
        label={t('refunds.voidTo', { email: userEmail })}
        question={t('refunds.voidWhy')}
        button={t('refunds.voidIt')}
        confirm={t('refunds.payNothing')}
      />
    </RefundDeeds>
  );
}
