import { Button } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ReceiptText, ShoppingCart } from 'lucide-react';
import { OrderTable } from '#app/components/money/order-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readCursor } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { moneyTexts } from '#app/locales/money.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${moneyTexts.in(languageOf(matches))('orders.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const cursor = readCursor(request.url);
  const page = await loadOrThrow(request, context.trpc.orders.list({ cursor, limit: 20 }));
  return { page };
}

export default function Orders() {
  const { page } = useLoaderData<typeof loader>();
  const t = useT(moneyTexts);
  const buy = (
    <Button component={Link} to="/credits/buy" leftSection={<ShoppingCart size={16} aria-hidden="true" />}>
      {t('orders.buy')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('orders.title')}
        edge={t('orders.edge')}
        actions={page.items.length > 0 ? buy : null}
      >
        {t('orders.lead')}
      </PageHeader>
      {page.items.length > 0 ? (
        <Panel flush>
          <OrderTable orders={page.items} />
        </Panel>
      ) : (
        <EmptyState icon={ReceiptText} title={t('orders.none')} action={buy}>
          {t('orders.noneHelp')}
        </EmptyState>
      )}
      <Pagination nextCursor={page.nextCursor} label={t('orders.list')} />
    </>
  );
}
