import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { CircleCheck } from 'lucide-react';
import { DeedNotice } from '#app/components/admin/money/deed-notice.tsx';
import { MismatchList } from '#app/components/admin/money/mismatch-list.tsx';
import { OrderTabs } from '#app/components/admin/money/order-tabs.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { runAdminOrderForm } from '#app/lib/admin-order-actions.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminMoneyTexts.in(languageOf(matches))('mismatches.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { events: await loadOrThrow(request, context.trpc.adminOrders.mismatches()) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runAdminOrderForm({ request, context, form: await request.formData() });
}

/** As many as one answer holds; the others follow as these are decided. */
const MOST = 100;

export default function Mismatches() {
  const t = useT(adminMoneyTexts);
  const { events } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={t('mismatches.title')} edge={t('orders.title')}>
        {t('mismatches.lead')}
      </PageHeader>
      <OrderTabs current="mismatches" />
      <DeedNotice />
      {events.length >= MOST ? <Notice tone="warning">{t('mismatches.more')}</Notice> : null}
      {events.length === 0 ? (
        <EmptyState icon={CircleCheck} title={t('mismatches.none')}>
          {t('mismatches.noneHelp')}
        </EmptyState>
      ) : (
        <MismatchList events={events} />
      )}
    </>
  );
}
