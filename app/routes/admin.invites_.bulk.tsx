import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { UserLink } from '#app/components/admin/money/user-link.tsx';
import { readBulk, runBulkForm } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { MOST_BULK } from '#server/lib/schemas.ts';

const DEEDS = ['void'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('invites.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { deed, ids, back } = readBulk(request.url, DEEDS);
  const page = await loadOrThrow(request, context.trpc.adminInvites.list({ ids, limit: MOST_BULK }));
  return { deed, back, items: page.items };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runBulkForm(request, DEEDS, ({ ids, reason }) =>
    context.trpc.adminInvites.voidMany({ inviteIds: ids, reason }),
  );
}

export default function BulkInvites() {
  const { deed, back, items } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <BulkPage
      deed={deed && `invites.deeds.${deed}`}
      destructive
      edge={t('invites.title')}
      back={`/admin/invites${back}`}
      rows={items.map((invite) => ({
        id: invite.id,
        what: <UserLink userId={invite.inviteeId} email={invite.inviteeEmail} />,
        note: t('invites.by', { email: invite.inviterEmail }),
        state: <MoneyBadge of="invite" state={invite.status} />,
      }))}
    />
  );
}
