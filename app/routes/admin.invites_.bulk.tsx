import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { UserLink } from '#app/components/admin/money/user-link.tsx';
import { readInvitesQuery } from '#app/lib/admin-money-lists.ts';
import { defineBulk, loadBulk, runBulk } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { adminListsTexts } from '#app/locales/admin-lists.ts';

const DEEDS = ['void'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('invites.title')} · Sidelane` },
];

const BULK = defineBulk({
  deeds: DEEDS,
  filters: readInvitesQuery,
  list: (trpc, page) => trpc.adminInvites.list(page),
  idOf: ({ id }) => id,
  run: (trpc, { ids, reason }) => trpc.adminInvites.voidMany({ inviteIds: ids, reason }),
});

export async function loader(args: LoaderFunctionArgs) {
  return loadBulk(args, BULK);
}

export async function action(args: ActionFunctionArgs) {
  return runBulk(args, BULK);
}

export default function BulkInvites() {
  const { deed, back, items, matching } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <BulkPage
      deed={deed && `invites.deeds.${deed}`}
      destructive
      edge={t('invites.title')}
      back={`/admin/invites${back}`}
      matching={matching}
      rows={items.map((invite) => ({
        id: invite.id,
        what: <UserLink userId={invite.inviteeId} email={invite.inviteeEmail} />,
        note: t('invites.by', { email: invite.inviterEmail }),
        state: <MoneyBadge of="invite" state={invite.status} />,
      }))}
    />
  );
}
