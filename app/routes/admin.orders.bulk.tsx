import { Anchor } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { OrderBadge } from '#app/components/money/order-badge.tsx';
import { readBulk, runBulkForm } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { MOST_BULK } from '#server/lib/schemas.ts';

const DEEDS = ['close'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('orders.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { deed, ids, back } = readBulk(request.url, DEEDS);
  const page = await loadOrThrow(request, context.trpc.adminOrders.list({ ids, limit: MOST_BULK }));
  return { deed, back, items: page.items };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runBulkForm(request, DEEDS, ({ ids, reason }) =>
    context.trpc.adminOrders.closeMany({ orderIds: ids, reason }),
  );
}

export default function BulkOrders() {
  const { deed, back, items } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const format = useFormat();
  return (
    <BulkPage
      deed={deed && `orders.deeds.${deed}`}
      destructive
      edge={t('orders.title')}
      back={`/admin/orders${back}`}
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
