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
import { RefundTabs } from '#app/components/admin/money/refund-tabs.tsx';
import { TaskRefundTable } from '#app/components/admin/money/task-refund-table.tsx';
import { ActionErrors } from '#app/components/ui/action-form.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { readRefundsQuery } from '#app/lib/admin-money-lists.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isNarrowed } from '#app/lib/list-query.ts';
import { runDeed, unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { retryRefundInput, voidRefundInput } from '#server/billing/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('refunds.title')} · Sidelane` },
];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = readRefundsQuery(request.url);
  const page = await loadOrThrow(request, context.trpc.adminBilling.refunds({ ...query, limit: 30 }));
  return { page, query, narrowed: isNarrowed(request.url) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { retryRefund, voidRefund } = context.trpc.adminBilling;
  const intent = form.get('intent');
  switch (intent) {
    case 'retry-refund':
      return runDeed({ request, form }, { intent, schema: retryRefundInput, run: retryRefund });
    case 'void-refund':
      return runDeed(
        { request, form },
        {
          intent,
          idField: 'refundId',
          schema: voidRefundInput,
          run: voidRefund,
        },
      );
    default:
      throw unknownForm();
  }
}

export default function TaskRefunds() {
  const { page, query, narrowed } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const states = useStateOptions('taskRefund');
  return (
    <>
      <PageHeader title={t('refunds.head')} edge={t('money')}>
        {t('refunds.lead')}
      </PageHeader>
      <RefundTabs current="credits" />
      <DeedNotice />
      <ActionErrors intents={['retry-refund']} />
      <FilterForm
        csv="/admin/refunds.csv"
        sort={`${query.sort}.${query.order}`}
        sorts={[
          { value: 'made.desc', label: t('sorts.newest') },
          { value: 'made.asc', label: t('sorts.oldest') },
          { value: 'amount.desc', label: t('sorts.dearest') },
          { value: 'amount.asc', label: t('sorts.cheapest') },
        ]}
      >
        <ChoiceFilter name="status" label={t('filters.status')} value={query.status ?? ''} options={states} />
        <TextFilter name="who" label={t('refunds.who')} value={query.who} />
        <DaysFilter from={query.from ?? ''} to={query.to ?? ''} />
      </FilterForm>
      {page.items.length === 0 ? (
        <NoneFound
          none={t('refunds.none')}
          noMatch={t('refunds.noMatch')}
          narrowed={narrowed}
          to="/admin/refunds"
          icon={Undo2}
        >
          {t('refunds.noneHelp')}
        </NoneFound>
      ) : (
        <>
          <Panel flush>
            <TaskRefundTable refunds={page.items} />
          </Panel>
          <BulkBar
            to="/admin/refunds/bulk"
            deeds={(['retry', 'void'] as const).map((deed) => ({
              value: deed,
              label: t(`refunds.deeds.${deed}.title`),
            }))}
          />
        </>
      )}
      <ListPages nextCursor={page.nextCursor} />
    </>
  );
}
