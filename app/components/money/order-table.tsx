import { Anchor, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { OrderView } from '#server/orders/schemas.ts';
import { OrderBadge } from './order-badge.tsx';

/** Orders, each leading to its page. */
export function OrderTable({ orders }: { orders: readonly OrderView[] }) {
  const t = useT(moneyTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('orders.table')}
      rows={orders}
      rowKey={(order) => order.id}
      columns={[
        {
          head: t('orders.order'),
          primary: true,
          cell: (order) => (
            <Anchor component={Link} to={`/orders/${order.id}`} fw={600}>
              {order.title}
            </Anchor>
          ),
        },
        { head: t('orders.made'), cell: (order) => <TimeAgo at={order.createdAt} style="absolute" /> },
        {
          head: t('orders.state'),
          cell: (order) => <OrderBadge status={order.status} dispute={order.dispute} />,
        },
        {
          head: t('orders.credits'),
          align: 'end',
          cell: (order) => <CreditAmount credits={order.credits} compact />,
        },
        {
          head: t('orders.price'),
          align: 'end',
          cell: (order) => (
            <>
              {format.money(order.amountMinor, order.currency)}
              {order.refundedMinor > 0 ? (
                <Text size="sm" c="dimmed">
                  {t('orders.back', { amount: format.money(order.refundedMinor, order.currency) })}
                </Text>
              ) : null}
            </>
          ),
        },
      ]}
    />
  );
}
