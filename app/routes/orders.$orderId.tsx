import { Anchor } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { redirect } from '@remix-run/node';
import { Link, useLoaderData, useSearchParams } from '@remix-run/react';
import classes from '#app/components/money/money.module.css';
import { OrderFacts } from '#app/components/money/order-facts.tsx';
import { OrderState } from '#app/components/money/order-state.tsx';
import { hasNewsToCome } from '#app/components/money/order-words.ts';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { leaveFor } from '#app/lib/leave-for.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useBoundedRefresh } from '#app/lib/use-bounded-refresh.ts';
import { useReloadWhenRestored } from '#app/lib/use-reload-when-restored.ts';
import { moneyTexts } from '#app/locales/money.ts';
import { orderIdInput } from '#server/orders/schemas.ts';

export const meta: MetaFunction<typeof loader> = ({ data: loaded, matches }) => {
  const t = moneyTexts.in(languageOf(matches));
  const words = loaded ? t('orders.orderTitle', { title: loaded.order.title }) : t('orders.order');
  return [{ title: `${words} · Sidelane` }];
};

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { orders, billing } = context.trpc;
  const orderId = params.orderId ?? '';
  const [order, balance] = await loadOrThrow(
    request,
    Promise.all([orders.get({ orderId }), billing.balance()]),
  );
  return { order, bucket: balance.buckets.find((bucket) => bucket.orderId === order.id), now: new Date() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { orders } = context.trpc;
  switch (form.get('intent')) {
    case 'pay':
      return runForm(request, form, {
        name: 'pay',
        schema: orderIdInput,
        run: async ({ orderId }) => {
          const { checkoutUrl } = await orders.checkout({ orderId });
          return leaveFor(request, { url: checkoutUrl, via: `/orders/${orderId}` });
        },
      });
    case 'cancel':
      return runForm(request, form, {
        name: 'cancel',
        schema: orderIdInput,
        run: async ({ orderId }) => {
          await orders.cancel({ orderId });
          return redirect(`/orders/${orderId}`);
        },
      });
    default:
      throw new Response('This form is not known. Reload the page and try again.', { status: 400 });
  }
}

export default function OrderPage() {
  const { order, bucket, now } = useLoaderData<typeof loader>();
  const [params] = useSearchParams();
  const t = useT(moneyTexts);
  useReloadWhenRestored();
  const returned = params.get('paid') === '1';
  const stopped = useBoundedRefresh(hasNewsToCome(order, returned));
  return (
    <>
      <PageHeader title={order.title} edge={t('orders.order')}>
        <Anchor component={Link} to="/orders" underline="always">
          {t('orders.all')}
        </Anchor>
      </PageHeader>
      <div className={classes.columns}>
        <Panel title={t('orders.state')} id="state">
          <OrderState order={order} now={now} returned={returned} stopped={stopped} />
        </Panel>
        <Panel title={t('orders.what')} id="ordered">
          <OrderFacts order={order} bucket={bucket} />
        </Panel>
      </div>
    </>
  );
}
