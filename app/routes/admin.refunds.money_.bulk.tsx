import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { readMoneyRefundsQuery } from '#app/lib/admin-money-lists.ts';
import { defineBulk, loadBulk, runBulk } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';

const DEEDS = ['retry', 'paid', 'give_up'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('moneyRefunds.title')} · Sidelane` },
];

const BULK = defineBulk({
  deeds: DEEDS,
  filters: readMoneyRefundsQuery,
  list: (trpc, page) => trpc.adminOrders.refunds(page),
  idOf: ({ id }) => id,
  run: (trpc, { deed, ids, reason }) => trpc.adminOrders.bulkRefunds({ deed, refundIds: ids, reason }),
});

export async function loader(args: LoaderFunctionArgs) {
  return loadBulk(args, BULK);
}

export async function action(args: ActionFunctionArgs) {
  return runBulk(args, BULK);
}

export default function BulkMoneyRefunds() {
  const { deed, back, items, matching } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const format = useFormat();
  return (
    <BulkPage
      deed={deed && `moneyRefunds.deeds.${deed}`}
      destructive={deed !== 'retry'}
      edge={t('moneyRefunds.title')}
      back={`/admin/refunds/money${back}`}
      matching={matching}
      rows={items.map((refund) => ({
        id: refund.id,
        what: <strong>{refund.userEmail}</strong>,
        note: `${format.money(refund.amountMinor, refund.currency)} · ${refund.reason}`,
        state: <MoneyBadge of="paymentRefund" state={refund.status} />,
      }))}
    />
  );
}
