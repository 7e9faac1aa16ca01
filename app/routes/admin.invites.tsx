import { Anchor } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { UserPlus } from 'lucide-react';
import { BulkBar, RowCheck } from '#app/components/admin/lists/bulk-bar.tsx';
import {
  ChoiceFilter,
  DaysFilter,
  FilterForm,
  TextFilter,
} from '#app/components/admin/lists/filter-form.tsx';
import { ListPages } from '#app/components/admin/lists/list-pages.tsx';
import lists from '#app/components/admin/lists/lists.module.css';
import { NoneFound } from '#app/components/admin/lists/none-found.tsx';
import classes from '#app/components/admin/money/money.module.css';
import { MoneyBadge, useStateOptions } from '#app/components/admin/money/money-badge.tsx';
import { UserLink } from '#app/components/admin/money/user-link.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { readInvitesQuery } from '#app/lib/admin-money-lists.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isNarrowed } from '#app/lib/list-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import type { AdminInviteView } from '#server/invites/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('invites.title')} · Sidelane` },
];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = readInvitesQuery(request.url);
  const page = await loadOrThrow(request, context.trpc.adminInvites.list({ ...query, limit: 30 }));
  return { page, query, narrowed: isNarrowed(request.url) };
}

export default function Invites() {
  const { page, query, narrowed } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const states = useStateOptions('invite');
  return (
    <>
      <PageHeader title={t('invites.title')} edge={t('money')}>
        {t('invites.lead')}
      </PageHeader>
      <FilterForm
        csv="/admin/invites.csv"
        sort={`${query.sort}.${query.order}`}
        sorts={[
          { value: 'made.desc', label: t('sorts.newest') },
          { value: 'made.asc', label: t('sorts.oldest') },
          { value: 'due.asc', label: t('sorts.rewardDue') },
          { value: 'rewarded.desc', label: t('sorts.rewardedLast') },
        ]}
      >
        <ChoiceFilter name="status" label={t('filters.status')} value={query.status ?? ''} options={states} />
        <TextFilter name="who" label={t('invites.who')} value={query.who} />
        <DaysFilter from={query.from ?? ''} to={query.to ?? ''} />
      </FilterForm>
      {page.items.length === 0 ? (
        <NoneFound
          none={t('invites.none')}
          noMatch={t('invites.noMatch')}
          narrowed={narrowed}
          to="/admin/invites"
          icon={UserPlus}
        >
          {t('invites.noneHelp')}
        </NoneFound>
      ) : (
        <>
          <Panel flush>
            <InviteTable invites={page.items} />
          </Panel>
          <BulkBar
            to="/admin/invites/bulk"
            deeds={[{ value: 'void', label: t('invites.deeds.void.title') }]}
          />
        </>
      )}
      <ListPages nextCursor={page.nextCursor} />
    </>
  );
}

function InviteTable({ invites }: { invites: readonly AdminInviteView[] }) {
  const t = useT(adminListsTexts);
  return (
    <DataTable
      label={t('invites.title')}
      rows={invites}
      rowKey={(invite) => invite.id}
      columns={[
        {
          head: t('invites.invited'),
          primary: true,
          cell: (invite) => (
            <div className={lists.choice}>
              <RowCheck id={invite.id} what={invite.inviteeEmail} />
              <div className={classes.who}>
                <UserLink userId={invite.inviteeId} email={invite.inviteeEmail} />
                <span className={classes.note}>
                  {t('invites.byWhom')} <UserLink userId={invite.inviterId} email={invite.inviterEmail} />
                </span>
              </div>
            </div>
          ),
        },
        { head: t('filters.status'), cell: (invite) => <MoneyBadge of="invite" state={invite.status} /> },
        {
          head: t('invites.inviterGets'),
          align: 'end',
          cell: (invite) => <CreditAmount credits={invite.inviterCredits} compact />,
        },
        {
          head: t('invites.invitedGets'),
          align: 'end',
          cell: (invite) => <CreditAmount credits={invite.inviteeCredits} compact />,
        },
        { head: t('invites.signedUp'), cell: (invite) => <TimeAgo at={invite.createdAt} /> },
        { head: t('invites.reward'), cell: (invite) => <Reward invite={invite} /> },
      ]}
    />
  );
}

function Reward({ invite }: { invite: AdminInviteView }) {
  const t = useT(adminListsTexts);
  const { rewardedAt, dueAt, orderId, note, lastError } = invite;
  return (
    <div className={classes.who}>
      {rewardedAt ? (
        <TimeAgo at={rewardedAt} style="absolute" />
      ) : dueAt ? (
        <>
          {t('invites.due')} <TimeAgo at={dueAt} />
        </>
      ) : (
        t('invites.notDue')
      )}
      {note || lastError ? <span className={classes.note}>{note ?? lastError}</span> : null}
      {orderId ? (
        <>
          {' '}
          <Anchor component={Link} to={`/admin/orders/${orderId}`} size="sm" underline="always">
            {t('invites.showOrder')}
          </Anchor>
        </>
      ) : null}
    </div>
  );
}
