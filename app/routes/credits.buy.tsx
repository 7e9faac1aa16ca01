import { Button } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { redirect } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { Package, Store } from 'lucide-react';
import { DebtsNotice } from '#app/components/money/debts-notice.tsx';
import classes from '#app/components/money/money.module.css';
import { PackCards } from '#app/components/money/pack-cards.tsx';
import { ActionErrors } from '#app/components/ui/action-form.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { leaveFor } from '#app/lib/leave-for.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useReloadWhenRestored } from '#app/lib/use-reload-when-restored.ts';
import { moneyTexts } from '#app/locales/money.ts';
import { createOrderInput } from '#server/orders/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${moneyTexts.in(languageOf(matches))('buy.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { orders, billing } = context.trpc;
  const [shop, balance] = await loadOrThrow(request, Promise.all([orders.shop(), billing.balance()]));
  return {
    open: shop.open,
    test: shop.test,
    debts: balance.debts,
    // A key per pack and page: its button pressed again, by a double click or after a lost answer, is one order.
    packs: shop.packs.map((pack) => ({ ...pack, requestKey: crypto.randomUUID() })),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'buy',
    schema: createOrderInput,
    run: async (input) => {
      const { orderId, checkoutUrl } = await context.trpc.orders.create(input);
      const via = `/orders/${orderId}`;
      return checkoutUrl ? leaveFor(request, { url: checkoutUrl, via }) : redirect(via);
    },
  });
}

export default function BuyCredits() {
  const { open, test, packs, debts } = useLoaderData<typeof loader>();
  const t = useT(moneyTexts);
  useReloadWhenRestored();
  return (
    <>
      <PageHeader title={t('buy.title')} edge={t('buy.edge')}>
        {t('buy.lead')}
      </PageHeader>
      <DebtsNotice debts={debts} />
      {test && open ? (
        <div className={classes.notice}>
          <Notice title={t('buy.testTitle')}>{t('buy.test')}</Notice>
        </div>
      ) : null}
      <div className={classes.sections}>
        <ActionErrors intents={['buy']} />
        {!open ? (
          <EmptyState
            icon={Store}
            title={t('buy.closed')}
            action={
              <Button component={Link} to="/redeem" variant="default">
                {t('buy.redeem')}
              </Button>
            }
          >
            {t('buy.closedHelp')}
          </EmptyState>
        ) : packs.length === 0 ? (
          <EmptyState icon={Package} title={t('buy.empty')}>
            {t('buy.emptyHelp')}
          </EmptyState>
        ) : (
          <PackCards packs={packs} />
        )}
      </div>
    </>
  );
}
