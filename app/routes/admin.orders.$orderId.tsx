import { Group, SimpleGrid, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { BellOff } from 'lucide-react';
import { DeedNotice } from '#app/components/admin/money/deed-notice.tsx';
import { EndDisputePanel } from '#app/components/admin/money/end-dispute-panel.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { MoneyRefundTable } from '#app/components/admin/money/money-refund-table.tsx';
import { OrderFacts } from '#app/components/admin/money/order-facts.tsx';
import { PaymentEvents } from '#app/components/admin/money/payment-events.tsx';
import { ReasonForm } from '#app/components/admin/money/reason-form.tsx';
import { RefundOrderPanel } from '#app/components/admin/money/refund-order-panel.tsx';
import { OrderBadge } from '#app/components/money/order-badge.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runAdminOrderForm } from '#app/lib/admin-order-actions.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isUuid } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useAutoRefresh } from '#app/lib/use-auto-refresh.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminMoneyTexts.in(languageOf(matches))('orders.order')} · Sidelane` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const orderId = params.orderId ?? '';
  if (!isUuid(orderId)) throw new Response('There is no such order.', { status: 404 });
  const order = await loadOrThrow(request, context.trpc.adminOrders.get({ orderId }));
  return { order, formKey: crypto.randomUUID() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runAdminOrderForm({ request, context, form: await request.formData() });
}

export default function AdminOrder() {
  const t = useT(adminMoneyTexts);
  const { order, formKey } = useLoaderData<typeof loader>();
  useAutoRefresh(10_000);
  return (
    <>
      <PageHeader title={order.title} edge={t('orders.edgeOne', { id: order.id })}>
        <Group gap="xs">
          <OrderBadge status={order.status} dispute={order.dispute} />
          {order.dispute ? <MoneyBadge of="dispute" state={order.dispute} /> : null}
        </Group>
      </PageHeader>
      <DeedNotice />
      <Stack gap="xl">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="xl">
          <Panel title={t('orders.theOrder')} id="the-order">
            <OrderFacts order={order} />
          </Panel>
          {order.status === 'pending' ? (
            <Panel title={t('orders.closeIt')} id="close-it" description={t('orders.closeHelp')}>
              <ReasonForm
                intent="close-order"
                id={order.id}
                values={{ orderId: order.id }}
                label={t('orders.closeOrder')}
                button={t('orders.close')}
                confirm={t('orders.closeIt')}
              />
            </Panel>
          ) : null}
          {order.dispute === 'open' ? <EndDisputePanel orderId={order.id} /> : null}
          {order.status === 'paid' && order.refundedMinor < order.amountMinor ? (
            <RefundOrderPanel order={order} formKey={formKey} />
          ) : null}
        </SimpleGrid>
        <Panel title={t('payments.title')} id="payment-notifications" flush>
          {order.events.length === 0 ? (
            <EmptyState icon={BellOff} title={t('payments.none')}>
              {t('payments.noneHelp')}
            </EmptyState>
          ) : (
            <PaymentEvents events={order.events} />
          )}
        </Panel>
        {order.refunds.length > 0 ? (
          <Panel title={t('orders.moneyBack')} id="money-back" flush>
            <MoneyRefundTable refunds={order.refunds} withOrder={false} />
          </Panel>
        ) : null}
      </Stack>
    </>
  );
}
