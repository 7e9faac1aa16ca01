import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { UserBadge } from '#app/components/admin/money/user-badge.tsx';
import { UserLink } from '#app/components/admin/money/user-link.tsx';
import { readPeopleQuery } from '#app/lib/admin-money-lists.ts';
import { defineBulk, loadBulk, runBulk } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { adminListsTexts } from '#app/locales/admin-lists.ts';

const DEEDS = ['disable', 'enable'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('people.title')} · Sidelane` },
];

const BULK = defineBulk({
  deeds: DEEDS,
  filters: readPeopleQuery,
  list: (trpc, page) => trpc.adminBilling.findUsers(page),
  idOf: ({ userId }) => userId,
  run: (trpc, { deed, ids, reason }) =>
    trpc.adminUsers.setDisabledOfMany({ userIds: ids, disabled: deed === 'disable', reason }),
});

export async function loader(args: LoaderFunctionArgs) {
  return loadBulk(args, BULK);
}

export async function action(args: ActionFunctionArgs) {
  return runBulk(args, BULK);
}

export default function BulkPeople() {
  const { deed, back, items, matching } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <BulkPage
      deed={deed && `people.deeds.${deed}`}
      destructive={deed === 'disable'}
      edge={t('people.title')}
      back={`/admin/users${back}`}
      matching={matching}
      rows={items.map((person) => ({
        id: person.userId,
        what: <UserLink userId={person.userId} email={person.email} />,
        note: person.displayName,
        state: <UserBadge user={person} />,
      }))}
    />
  );
}
