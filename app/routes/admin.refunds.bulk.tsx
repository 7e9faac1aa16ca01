import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { UserLink } from '#app/components/admin/money/user-link.tsx';
import { readBulk, runBulkForm } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { MOST_BULK } from '#server/lib/schemas.ts';

const DEEDS = ['retry', 'void'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('refunds.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { deed, ids, back } = readBulk(request.url, DEEDS);
  const page = await loadOrThrow(request, context.trpc.adminBilling.refunds({ ids, limit: MOST_BULK }));
  return { deed, back, items: page.items };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runBulkForm(request, DEEDS, ({ deed, ids, reason }) =>
    context.trpc.adminBilling.bulkRefunds({ deed, refundIds: ids, reason }),
  );
}

export default function BulkRefunds() {
  const { deed, back, items } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const format = useFormat();
  return (
    <BulkPage
      deed={deed && `refunds.deeds.${deed}`}
      destructive={deed === 'void'}
      edge={t('refunds.title')}
      back={`/admin/refunds${back}`}
      rows={items.map((refund) => ({
        id: refund.id,
        what: <UserLink userId={refund.userId} email={refund.userEmail} />,
        note: `${format.credits(refund.amountCredits)} · ${refund.reason}`,
        state: <MoneyBadge of="taskRefund" state={refund.status} />,
      }))}
    />
  );
}
