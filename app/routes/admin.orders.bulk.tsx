import { Anchor } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { OrderBadge } from '#app/components/money/order-badge.tsx';
import { readOrdersQuery } from '#app/lib/admin-money-lists.ts';
import { defineBulk, loadBulk, runBulk } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';

const DEEDS = ['close'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('orders.title')} · Sidelane` },
];

const BULK = defineBulk({
  deeds: DEEDS,
  filters: readOrdersQuery,
  list: (trpc, page) => trpc.adminOrders.list(page),
  idOf: ({ id }) => id,
  run: (trpc, { ids, reason }) => trpc.adminOrders.closeMany({ orderIds: ids, reason }),
});

export async function loader(args: LoaderFunctionArgs) {
  return loadBulk(args, BULK);
}

export async function action(args: ActionFunctionArgs) {
  return runBulk(args, BULK);
}

export default function BulkOrders() {
  const { deed, back, items, matching } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const format = useFormat();
  return (
    <BulkPage
      deed={deed && `orders.deeds.${deed}`}
      destructive
      edge={t('orders.title')}
      back={`/admin/orders${back}`}
      matching={matching}
      rows={items.map((order) => ({
        id: order.id,
        what: (
          <Anchor component={Link} to={`/admin/orders/${order.id}`}>
            {order.title}
          </Anchor>
        ),
        note: `${format.money(order.amountMinor, order.currency)} · ${order.userEmail}`,
        state: <OrderBadge status={order.status} dispute={order.dispute} />,
      }))}
    />
  );
}
