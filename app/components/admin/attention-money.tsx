import { Anchor, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { attentionTexts } from '#app/locales/attention.ts';
import type { PaymentEventView, PaymentRefundView } from '#server/orders/schemas.ts';
import { eventAmount } from './money/payment-events.tsx';

/** Payments that fit no order, the newest first. */
export function AttentionPayments({ events }: { events: readonly PaymentEventView[] }) {
  const t = useT(attentionTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('payments.title')}
      rows={events}
      rowKey={(event) => event.id}
      columns={[
        {
          head: t('payments.what'),
          primary: true,
          cell: (event) => (
            <>
              <Text fw={600}>{event.note ?? t('payments.noNote')}</Text>
              <Text size="sm" c="dimmed">
                {event.orderId ? (
                  <Anchor component={Link} to={`/admin/orders/${event.orderId}`} inherit underline="always">
                    {t('payments.order')}
                  </Anchor>
                ) : (
                  t('payments.noOrder')
                )}
              </Text>
            </>
          ),
        },
        {
          head: t('amount'),
          align: 'end',
          cell: (event) => eventAmount(event, format) ?? t('payments.unknown'),
        },
        { head: t('payments.came'), cell: (event) => <TimeAgo at={event.receivedAt} style="both" /> },
      ]}
    />
  );
}

/** Money that is owed to payers, and that the payment service did not take back. */
export function AttentionMoneyRefunds({ refunds }: { refunds: readonly PaymentRefundView[] }) {
  const t = useT(attentionTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('moneyRefunds.title')}
      rows={refunds}
      rowKey={(refund) => refund.id}
      columns={[
        {
          head: t('owedTo'),
          primary: true,
          cell: (refund) => (
            <Anchor component={Link} to={`/admin/orders/${refund.orderId}`} fw={600}>
              {refund.userEmail}
            </Anchor>
          ),
        },
        {
          head: t('amount'),
          align: 'end',
          cell: (refund) => format.money(refund.amountMinor, refund.currency),
        },
        { head: t('since'), cell: (refund) => <TimeAgo at={refund.createdAt} style="both" /> },
        { head: t('whyStopped'), cell: (refund) => refund.lastError ?? t('noReason') },
      ]}
    />
  );
}
