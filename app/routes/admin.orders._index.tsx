import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { ShoppingBag } from 'lucide-react';
import { BulkBar } from '#app/components/admin/lists/bulk-bar.tsx';
import {
  ChoiceFilter,
  DaysFilter,
  FilterForm,
  TextFilter,
} from '#app/components/admin/lists/filter-form.tsx';
import { ListPages } from '#app/components/admin/lists/list-pages.tsx';
import { NoneFound } from '#app/components/admin/lists/none-found.tsx';
import { useStateOptions, useStateWord } from '#app/components/admin/money/money-badge.tsx';
import { OrderTable } from '#app/components/admin/money/order-table.tsx';
import { OrderTabs } from '#app/components/admin/money/order-tabs.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { readOrdersQuery } from '#app/lib/admin-money-lists.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isNarrowed } from '#app/lib/list-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { ORDER_STATUSES } from '#server/orders/status.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('orders.title')} · Sidelane` },
];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = readOrdersQuery(request.url);
  const page = await loadOrThrow(request, context.trpc.adminOrders.list({ ...query, limit: 30 }));
  return { page, query, narrowed: isNarrowed(request.url) };
}

export default function Orders() {
  const { page, query, narrowed } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const word = useStateWord('order');
  const disputes = useStateOptions('dispute');
  return (
    <>
      <PageHeader title={t('orders.title')} edge={t('money')}>
        {t('orders.lead')}
      </PageHeader>
      <OrderTabs current="orders" />
      <FilterForm
        csv="/admin/orders.csv"
        sort={`${query.sort}.${query.order}`}
        sorts={[
          { value: 'made.desc', label: t('sorts.newest') },
          { value: 'made.asc', label: t('sorts.oldest') },
          { value: 'amount.desc', label: t('sorts.dearest') },
          { value: 'amount.asc', label: t('sorts.cheapest') },
          { value: 'paid.desc', label: t('sorts.paidLast') },
          { value: 'paid.asc', label: t('sorts.paidFirst') },
        ]}
      >
        <ChoiceFilter
          name="status"
          label={t('filters.status')}
          value={query.status ?? ''}
          options={ORDER_STATUSES.map((value) => ({ value, label: word(value) }))}
        />
        <ChoiceFilter
          name="dispute"
          label={t('orders.dispute')}
          value={query.dispute ?? ''}
          options={disputes}
        />
        <TextFilter name="who" label={t('orders.who')} value={query.who} />
        <TextFilter name="user" label={t('orders.personId')} value={query.userId ?? ''} />
        <DaysFilter from={query.from ?? ''} to={query.to ?? ''} />
      </FilterForm>
      {page.items.length === 0 ? (
        <NoneFound
          none={t('orders.none')}
          noMatch={t('orders.noMatch')}
          narrowed={narrowed}
          to="/admin/orders"
          icon={ShoppingBag}
        >
          {t('orders.noneHelp')}
        </NoneFound>
      ) : (
        <>
          <Panel flush>
            <OrderTable orders={page.items} withUser />
          </Panel>
          <BulkBar
            to="/admin/orders/bulk"
            deeds={[{ value: 'close', label: t('orders.deeds.close.title') }]}
          />
        </>
      )}
      <ListPages nextCursor={page.nextCursor} />
    </>
  );
}
