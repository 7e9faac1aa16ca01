import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { RowCheck } from '#app/components/admin/lists/bulk-bar.tsx';
import lists from '#app/components/admin/lists/lists.module.css';
import { OrderBadge } from '#app/components/money/order-badge.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { AdminOrderRow } from '#server/orders/schemas.ts';
import classes from './money.module.css';
import { MoneyBadge } from './money-badge.tsx';

/** Orders, each leading to its page. */
export function OrderTable({ orders, withUser }: { orders: readonly AdminOrderRow[]; withUser: boolean }) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('orders.title')}
      rows={orders}
      rowKey={(order) => order.id}
      columns={[
        {
          head: t('orders.order'),
          primary: true,
          cell: (order) => (
            <div className={lists.choice}>
              {withUser ? <RowCheck id={order.id} what={`${order.title}, ${order.userEmail}`} /> : null}
              <div className={classes.who}>
                <Anchor component={Link} to={`/admin/orders/${order.id}`} fw={600}>
                  {order.title}
                </Anchor>
                <Text size="sm" c="dimmed">
                  {format.credits(order.credits)}
                  {withUser ? ` · ${order.userEmail}` : ''}
                </Text>
              </div>
            </div>
          ),
        },
        {
          head: t('orders.status'),
          cell: (order) => (
            <Group gap="xs">
              <OrderBadge status={order.status} dispute={order.dispute} />
              {order.dispute ? <MoneyBadge of="dispute" state={order.dispute} /> : null}
            </Group>
          ),
        },
        {
          head: t('orders.price'),
          align: 'end',
          cell: (order) => format.money(order.amountMinor, order.currency),
        },
        {
          head: t('orders.paidBack'),
          align: 'end',
          cell: (order) =>
            order.refundedMinor > 0 ? format.money(order.refundedMinor, order.currency) : '–',
        },
        { head: t('orders.made'), cell: (order) => <TimeAgo at={order.createdAt} /> },
        { head: t('orders.paid'), cell: (order) => (order.paidAt ? <TimeAgo at={order.paidAt} /> : '–') },
      ]}
    />
  );
}
