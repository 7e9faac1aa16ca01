import { RowCheck } from '#app/components/admin/lists/bulk-bar.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { PaymentRefundView } from '#server/orders/schemas.ts';
import { MoneyBadge } from './money-badge.tsx';
import { ReasonForm } from './reason-form.tsx';
import { RefundAbout, RefundDeeds } from './refund-cells.tsx';
import { RefundProgress } from './refund-progress.tsx';

type MoneyRefundTableProps = { refunds: readonly PaymentRefundView[]; withOrder: boolean };

/** Money on its way back to payers; what waits for a person can be tried again or ended. */
export function MoneyRefundTable({ refunds, withOrder }: MoneyRefundTableProps) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('refunds.moneyTable')}
      rows={refunds}
      rowKey={(refund) => refund.id}
      columns={[
        {
          head: t('refunds.refund'),
          primary: true,
          cell: (refund) => (
            <RefundAbout
              check={withOrder ? <RowCheck id={refund.id} what={refund.userEmail} /> : undefined}
              who={<strong>{refund.userEmail}</strong>}
              reason={refund.reason}
              subject={
                withOrder ? { to: `/admin/orders/${refund.orderId}`, label: t('refunds.showOrder') } : null
              }
            />
          ),
        },
        {
          head: t('refunds.status'),
          cell: (refund) => <MoneyBadge of="paymentRefund" state={refund.status} />,
        },
        {
          head: t('refunds.amount'),
          align: 'end',
          cell: (refund) => format.money(refund.amountMinor, refund.currency),
        },
        {
          head: t('refunds.takenBack'),
          align: 'end',
          cell: (refund) => <CreditAmount credits={refund.clawedBackCredits} compact />,
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

function Deeds({ refund }: { refund: PaymentRefundView }) {
  const t = useT(adminMoneyTexts);
  const { id, userEmail } = refund;
  return (
    <RefundDeeds
      refund={refund}
      retryIntent="retry-money-refund"
      summary={t('refunds.endByHand')}
      intents={['refund-paid', 'refund-given-up']}
    >
      <ReasonForm
        intent="refund-paid"
        id={id}
        values={{ refundId: id, verdict: 'paid' }}
        label={t('refunds.paidTo', { email: userEmail })}
        question={t('refunds.paidWhy')}
        button={t('refunds.itWasPaid')}
        confirm={t('refunds.notePaid')}
      />
      <ReasonForm
        intent="refund-given-up"
        id={id}
        values={{ refundId: id, verdict: 'give_up' }}
        label={t('refunds.giveUpTo', { email: userEmail })}
        question={t('refunds.giveUpWhy')}
        button={t('refunds.giveItUp')}
        confirm={t('refunds.payNothingBack')}
      />
    </RefundDeeds>
  );
}
