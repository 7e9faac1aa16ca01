import { Anchor, Group, Text } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { Users } from 'lucide-react';
import { BulkBar, RowCheck } from '#app/components/admin/lists/bulk-bar.tsx';
import { ChoiceFilter, FilterForm, TextFilter } from '#app/components/admin/lists/filter-form.tsx';
import { ListPages } from '#app/components/admin/lists/list-pages.tsx';
import classes from '#app/components/admin/lists/lists.module.css';
import { NoneFound } from '#app/components/admin/lists/none-found.tsx';
import { UserBadge } from '#app/components/admin/money/user-badge.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { readPeopleQuery, STANDINGS } from '#app/lib/admin-money-lists.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isNarrowed } from '#app/lib/list-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import type { UserMoneyRow } from '#server/billing/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('people.title')} · Sidelane` },
];

/** The search lives in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = readPeopleQuery(request.url);
  const page = await loadOrThrow(request, context.trpc.adminBilling.findUsers({ ...query, limit: 30 }));
  return { page, query, narrowed: isNarrowed(request.url) };
}

export default function People() {
  const { page, query, narrowed } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <>
      <PageHeader title={t('people.title')} edge={t('money')}>
        {t('people.lead')}
      </PageHeader>
      <FilterForm
        csv="/admin/users.csv"
        sort={`${query.sort}.${query.order}`}
        sorts={[
          { value: 'created.desc', label: t('sorts.newest') },
          { value: 'created.asc', label: t('sorts.oldest') },
          { value: 'balance.desc', label: t('sorts.richest') },
          { value: 'balance.asc', label: t('sorts.poorest') },
          { value: 'spent.desc', label: t('sorts.spentMost') },
          { value: 'spent.asc', label: t('sorts.spentLeast') },
        ]}
      >
        <TextFilter name="who" label={t('people.who')} value={query.search} />
        <ChoiceFilter
          name="standing"
          label={t('people.standing')}
          value={query.standing ?? ''}
          options={STANDINGS.map((value) => ({ value, label: t(`people.standings.${value}`) }))}
        />
      </FilterForm>
      {page.items.length === 0 ? (
        <NoneFound
          none={t('people.none')}
          noMatch={t('people.noMatch')}
          narrowed={narrowed}
          to="/admin/users"
          icon={Users}
        >
          {t('people.noneHelp')}
        </NoneFound>
      ) : (
        <>
          <Panel flush>
            <PeopleTable people={page.items} />
          </Panel>
          <BulkBar
            to="/admin/users/bulk"
            deeds={(['disable', 'enable'] as const).map((deed) => ({
              value: deed,
              label: t(`people.deeds.${deed}.title`),
            }))}
          />
        </>
      )}
      <ListPages nextCursor={page.nextCursor} />
    </>
  );
}

function PeopleTable({ people }: { people: readonly UserMoneyRow[] }) {
  const t = useT(adminListsTexts);
  return (
    <DataTable
      label={t('people.title')}
      rows={people}
      rowKey={(person) => person.userId}
      columns={[
        {
          head: t('people.person'),
          primary: true,
          cell: (person) => (
            <div className={classes.choice}>
              <RowCheck id={person.userId} what={person.email} />
              <div className={classes.row}>
                <Group gap="xs">
                  <Anchor component={Link} to={`/admin/users/${person.userId}`} fw={600}>
                    {person.email}
                  </Anchor>
                  <UserBadge user={person} />
                </Group>
                <Text size="sm" c="dimmed">
                  {person.displayName}
                </Text>
              </div>
            </div>
          ),
        },
        {
          head: t('people.balance'),
          align: 'end',
          cell: (person) => <CreditAmount credits={person.balanceCredits} compact />,
        },
        {
          head: t('people.held'),
          align: 'end',
          cell: (person) => <CreditAmount credits={person.heldCredits} compact />,
        },
        {
          head: t('people.owed'),
          align: 'end',
          cell: (person) => <CreditAmount credits={person.owedCredits} compact />,
        },
        {
          head: t('people.spent'),
          align: 'end',
          cell: (person) => <CreditAmount credits={person.spentCredits} compact />,
        },
        { head: t('people.since'), cell: (person) => <TimeAgo at={person.createdAt} /> },
      ]}
    />
  );
}
