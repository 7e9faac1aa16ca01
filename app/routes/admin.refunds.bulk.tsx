import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { UserLink } from '#app/components/admin/money/user-link.tsx';
import { readRefundsQuery } from '#app/lib/admin-money-lists.ts';
import { defineBulk, loadBulk, runBulk } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';

const DEEDS = ['retry', 'void'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('refunds.title')} · Sidelane` },
];

const BULK = defineBulk({
  deeds: DEEDS,
  filters: readRefundsQuery,
  list: (trpc, page) => trpc.adminBilling.refunds(page),
  idOf: ({ id }) => id,
  run: (trpc, { deed, ids, reason }) => trpc.adminBilling.bulkRefunds({ deed, refundIds: ids, reason }),
});

export async function loader(args: LoaderFunctionArgs) {
  return loadBulk(args, BULK);
}

export async function action(args: ActionFunctionArgs) {
  return runBulk(args, BULK);
}

export default function BulkRefunds() {
  const { deed, back, items, matching } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const format = useFormat();
  return (
    <BulkPage
      deed={deed && `refunds.deeds.${deed}`}
      destructive={deed === 'void'}
      edge={t('refunds.title')}
      back={`/admin/refunds${back}`}
      matching={matching}
      rows={items.map((refund) => ({
        id: refund.id,
        what: <UserLink userId={refund.userId} email={refund.userEmail} />,
        note: `${format.credits(refund.amountCredits)} · ${refund.reason}`,
        state: <MoneyBadge of="taskRefund" state={refund.status} />,
      }))}
    />
  );
}
