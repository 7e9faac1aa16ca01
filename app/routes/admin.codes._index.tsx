import { Anchor, Stack } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { Ticket } from 'lucide-react';
import { BulkBar, RowCheck } from '#app/components/admin/lists/bulk-bar.tsx';
import {
  ChoiceFilter,
  DaysFilter,
  FilterForm,
  TextFilter,
} from '#app/components/admin/lists/filter-form.tsx';
import { ListPages } from '#app/components/admin/lists/list-pages.tsx';
import classes from '#app/components/admin/lists/lists.module.css';
import { NoneFound } from '#app/components/admin/lists/none-found.tsx';
import { batchForm, toBatch } from '#app/components/admin/money/batch-form-schema.ts';
import { BatchPanel } from '#app/components/admin/money/batch-panel.tsx';
import { MoneyBadge, useStateOptions } from '#app/components/admin/money/money-badge.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { readBatchesQuery } from '#app/lib/admin-money-lists.ts';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isNarrowed } from '#app/lib/list-query.ts';
import { unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import type { BatchView } from '#server/billing/redeem/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('codes.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = readBatchesQuery(request.url);
  const page = await loadOrThrow(request, context.trpc.adminRedeem.list({ ...query, limit: 30 }));
  return { page, query, narrowed: isNarrowed(request.url), formKey: crypto.randomUUID() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  if (form.get('intent') !== 'create-batch') throw unknownForm();
  return runForm(request, form, {
    name: 'create-batch',
    schema: batchForm,
    run: async (input) => {
      const { batchId } = await context.trpc.adminRedeem.create(toBatch(input));
      return redirect(`/admin/codes/${batchId}`);
    },
  });
}

export default function Codes() {
  const { page, query, narrowed, formKey } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const states = useStateOptions('batch');
  return (
    <>
      <PageHeader title={t('codes.title')} edge={t('money')}>
        {t('codes.lead')}
      </PageHeader>
      <Stack gap="xl">
        <div>
          <FilterForm
            csv="/admin/codes.csv"
            sort={`${query.sort}.${query.order}`}
            sorts={[
              { value: 'made.desc', label: t('sorts.newest') },
              { value: 'made.asc', label: t('sorts.oldest') },
              { value: 'credits.desc', label: t('sorts.mostCredits') },
              { value: 'credits.asc', label: t('sorts.fewestCredits') },
              { value: 'codes.desc', label: t('sorts.mostCodes') },
            ]}
          >
            <ChoiceFilter name="state" label={t('bulk.state')} value={query.state ?? ''} options={states} />
            <TextFilter name="title" label={t('codes.name')} value={query.search} />
            <DaysFilter from={query.from ?? ''} to={query.to ?? ''} />
          </FilterForm>
          {page.items.length === 0 ? (
            <NoneFound
              none={t('codes.none')}
              noMatch={t('codes.noMatch')}
              narrowed={narrowed}
              to="/admin/codes"
              icon={Ticket}
            >
              {t('codes.noneHelp')}
            </NoneFound>
          ) : (
            <>
              <Panel flush>
                <BatchTable batches={page.items} />
              </Panel>
              <BulkBar
                to="/admin/codes/bulk"
                deeds={[{ value: 'revoke', label: t('codes.deeds.revoke.title') }]}
              />
            </>
          )}
          <ListPages nextCursor={page.nextCursor} />
        </div>
        <BatchPanel formKey={formKey} />
      </Stack>
    </>
  );
}

function BatchTable({ batches }: { batches: readonly BatchView[] }) {
  const t = useT(adminListsTexts);
  return (
    <DataTable
      label={t('codes.batches')}
      rows={batches}
      rowKey={(batch) => batch.id}
      columns={[
        {
          head: t('codes.batch'),
          primary: true,
          cell: (batch) => (
            <div className={classes.choice}>
              <RowCheck id={batch.id} what={batch.title} />
              <Anchor component={Link} to={`/admin/codes/${batch.id}`} fw={600}>
                {batch.title}
              </Anchor>
            </div>
          ),
        },
        { head: t('bulk.state'), cell: (batch) => <MoneyBadge of="batch" state={batch.state} /> },
        {
          head: t('codes.redeemed'),
          align: 'end',
          cell: (batch) => t('codes.redeemedOf', { count: batch.redeemedCount, all: batch.codeCount }),
        },
        {
          head: t('codes.creditsEach'),
          align: 'end',
          cell: (batch) => <CreditAmount credits={batch.credits} compact />,
        },
        {
          head: t('codes.takenUntil'),
          cell: (batch) =>
            batch.expiresAt ? <TimeAgo at={batch.expiresAt} style="both" /> : t('codes.always'),
        },
        { head: t('codes.made'), cell: (batch) => <TimeAgo at={batch.createdAt} /> },
      ]}
    />
  );
}
