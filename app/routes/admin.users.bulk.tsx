import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { UserBadge } from '#app/components/admin/money/user-badge.tsx';
import { UserLink } from '#app/components/admin/money/user-link.tsx';
import { readBulk, runBulkForm } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { MOST_BULK } from '#server/lib/schemas.ts';

const DEEDS = ['disable', 'enable'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('people.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { deed, ids, back } = readBulk(request.url, DEEDS);
  const page = await loadOrThrow(request, context.trpc.adminBilling.findUsers({ ids, limit: MOST_BULK }));
  return { deed, back, items: page.items };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runBulkForm(request, DEEDS, ({ deed, ids, reason }) =>
    context.trpc.adminUsers.setDisabledOfMany({ userIds: ids, disabled: deed === 'disable', reason }),
  );
}

export default function BulkPeople() {
  const { deed, back, items } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <BulkPage
      deed={deed && `people.deeds.${deed}`}
      destructive={deed === 'disable'}
      edge={t('people.title')}
      back={`/admin/users${back}`}
      rows={items.map((person) => ({
        id: person.userId,
        what: <UserLink userId={person.userId} email={person.email} />,
        note: person.displayName,
        state: <UserBadge user={person} />,
      }))}
    />
  );
}
