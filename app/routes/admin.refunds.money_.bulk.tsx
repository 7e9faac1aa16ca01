import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { readBulk, runBulkForm } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { MOST_BULK } from '#server/lib/schemas.ts';

const DEEDS = ['retry', 'paid', 'give_up'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('moneyRefunds.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { deed, ids, back } = readBulk(request.url, DEEDS);
  const page = await loadOrThrow(request, context.trpc.adminOrders.refunds({ ids, limit: MOST_BULK }));
  return { deed, back, items: page.items };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runBulkForm(request, DEEDS, ({ deed, ids, reason }) =>
    context.trpc.adminOrders.bulkRefunds({ deed, refundIds: ids, reason }),
  );
}

export default function BulkMoneyRefunds() {
  const { deed, back, items } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  const format = useFormat();
  return (
    <BulkPage
      deed={deed && `moneyRefunds.deeds.${deed}`}
      destructive={deed !== 'retry'}
      edge={t('moneyRefunds.title')}
      back={`/admin/refunds/money${back}`}
      rows={items.map((refund) => ({
        id: refund.id,
        what: <strong>{refund.userEmail}</strong>,
        note: `${format.money(refund.amountMinor, refund.currency)} · ${refund.reason}`,
        state: <MoneyBadge of="paymentRefund" state={refund.status} />,
      }))}
    />
  );
}
