import { Button, Stack } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ArrowRight, CircleCheck } from 'lucide-react';
import { AttentionList } from '#app/components/admin/attention-list.tsx';
import { AttentionMoneyRefunds, AttentionPayments } from '#app/components/admin/attention-money.tsx';
import { AttentionRefunds } from '#app/components/admin/attention-refunds.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readMoneyAttention } from '#app/lib/read-money-attention.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useAutoRefresh } from '#app/lib/use-auto-refresh.ts';
import { attentionTexts } from '#app/locales/attention.ts';
import classes from './admin.module.css';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${attentionTexts.in(languageOf(matches))('title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const [attention, money] = await loadOrThrow(
    request,
    Promise.all([context.trpc.adminTasks.attention(), readMoneyAttention(context)]),
  );
  return { attention, money };
}

export default function Attention() {
  const t = useT(attentionTexts);
  const { attention, money } = useLoaderData<typeof loader>();
  const { uncertain, refunds } = attention;
  const { mismatches, moneyRefunds } = money;
  const nothing = [uncertain, refunds, mismatches, moneyRefunds].every((list) => list.length === 0);
  useAutoRefresh(15_000);
  return (
    <>
      <PageHeader title={t('title')} edge={t('edge')}>
        {t('lead')}
      </PageHeader>
      <Stack gap="xl">
        {attention.hasMore || money.hasMore ? <Notice tone="warning">{t('more')}</Notice> : null}
        {nothing ? (
          <EmptyState icon={CircleCheck} title={t('nothing')}>
            {t('nothingText')}
          </EmptyState>
        ) : null}
        {uncertain.length > 0 ? (
          <section aria-labelledby="uncertain-heading">
            <h2 id="uncertain-heading" className={classes.heading}>
              {t('uncertain.title')}
            </h2>
            <p className={classes.lead}>{t('uncertain.lead')}</p>
            <AttentionList items={uncertain} />
          </section>
        ) : null}
        {refunds.length > 0 ? (
          <Panel
            id="refunds"
            title={t('refunds.title')}
            description={t('refunds.lead')}
            actions={<Way to="/admin/refunds?status=manual">{t('refunds.go')}</Way>}
            flush
          >
            <AttentionRefunds refunds={refunds} />
          </Panel>
        ) : null}
        {mismatches.length > 0 ? (
          <Panel
            id="payments"
            title={t('payments.title')}
            description={t('payments.lead')}
            actions={<Way to="/admin/orders/mismatches">{t('payments.go')}</Way>}
            flush
          >
            <AttentionPayments events={mismatches} />
          </Panel>
        ) : null}
        {moneyRefunds.length > 0 ? (
          <Panel
            id="money-refunds"
            title={t('moneyRefunds.title')}
            description={t('moneyRefunds.lead')}
            actions={<Way to="/admin/refunds/money?status=manual">{t('moneyRefunds.go')}</Way>}
            flush
          >
            <AttentionMoneyRefunds refunds={moneyRefunds} />
          </Panel>
        ) : null}
      </Stack>
    </>
  );
}

function Way({ to, children }: { to: string; children: string }) {
  return (
    <Button component={Link} to={to} size="xs" rightSection={<ArrowRight size={14} aria-hidden="true" />}>
      {children}
    </Button>
  );
}
