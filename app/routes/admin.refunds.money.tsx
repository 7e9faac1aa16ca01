import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { Undo2 } from 'lucide-react';
import { BulkBar } from '#app/components/admin/lists/bulk-bar.tsx';
import {
  ChoiceFilter,
  DaysFilter,
  FilterForm,
  TextFilter,
} from '#app/components/admin/lists/filter-form.tsx';
import { ListPages } from '#app/components/admin/lists/list-pages.tsx';
import { NoneFound } from '#app/components/admin/lists/none-found.tsx';
import { DeedNotice } from '#app/components/admin/money/deed-notice.tsx';
import { useStateOptions } from '#app/components/admin/money/money-badge.tsx';
import { MoneyRefundTable } from '#app/components/admin/money/money-refund-table.tsx';
import { RefundTabs } from '#app/components/admin/money/refund-tabs.tsx';
import { ActionErrors } from '#app/components/ui/action-form.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { readMoneyRefundsQuery } from '#app/lib/admin-money-lists.ts';
import { runAdminOrderForm } from '#app/lib/admin-order-actions.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isNarrowed } from '#app/lib/list-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('moneyRefunds.title')} · Sidelane` },
];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = readMoneyRefundsQuery(request.url);
  const page = await loadOrThrow(request, context.trpc.adminOrders.refunds({ ...query, limit: 30 }));
  return { page, query, narrowed: isNarrowed(request.url) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runAdminOrderForm({ request, context, form: await request.formData() });
}

export default function MoneyRefunds() {
  const { page, query, narrowed } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const states = useStateOptions('paymentRefund');
  return (
    <>
      <PageHeader title={t('refunds.head')} edge={t('money')}>
        {t('moneyRefunds.lead')}
      </PageHeader>
      <RefundTabs current="money" />
      <DeedNotice />
      <ActionErrors intents={['retry-money-refund']} />
      <FilterForm
        csv="/admin/refunds/money.csv"
        sort={`${query.sort}.${query.order}`}
        sorts={[
          { value: 'made.desc', label: t('sorts.newest') },
          { value: 'made.asc', label: t('sorts.oldest') },
          { value: 'amount.desc', label: t('sorts.dearest') },
          { value: 'amount.asc', label: t('sorts.cheapest') },
        ]}
      >
        <ChoiceFilter name="status" label={t('filters.status')} value={query.status ?? ''} options={states} />
        <TextFilter name="who" label={t('moneyRefunds.who')} value={query.who} />
        <DaysFilter from={query.from ?? ''} to={query.to ?? ''} />
      </FilterForm>
      {page.items.length === 0 ? (
        <NoneFound
          none={t('refunds.none')}
          noMatch={t('refunds.noMatch')}
          narrowed={narrowed}
          to="/admin/refunds/money"
          icon={Undo2}
        >
          {t('moneyRefunds.noneHelp')}
        </NoneFound>
      ) : (
        <>
          <Panel flush>
            <MoneyRefundTable refunds={page.items} withOrder />
          </Panel>
          <BulkBar
            to="/admin/refunds/money/bulk"
            deeds={(['retry', 'paid', 'give_up'] as const).map((deed) => ({
              value: deed,
              label: t(`moneyRefunds.deeds.${deed}.title`),
            }))}
          />
        </>
      )}
      <ListPages nextCursor={page.nextCursor} />
    </>
  );
}
