import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { bucketKindLabel } from '#app/components/money/bucket-words.ts';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { BalanceView } from '#server/billing/schemas.ts';
import classes from './money.module.css';

/** Where a balance lies, in the order in which it is spent, and what is owed before anything can be. */
export function BalancePanel({ balance: { buckets, debts } }: { balance: BalanceView }) {
  const t = useT(adminMoneyTexts);
  const language = useLanguage();
  return (
    <>
      {debts.length > 0 ? (
        <Panel title={t('balance.debts')} id="debts" description={t('balance.debtsHelp')} flush>
          <DataTable
            label={t('balance.debts')}
            rows={debts}
            rowKey={(debt) => debt.id}
            columns={[
              { head: t('balance.reason'), primary: true, cell: (debt) => debt.reason },
              {
                head: t('balance.open'),
                align: 'end',
                cell: (debt) => <CreditAmount credits={debt.remainingCredits} compact />,
              },
              {
                head: t('balance.of'),
                align: 'end',
                cell: (debt) => <CreditAmount credits={debt.amountCredits} compact />,
              },
              { head: t('refunds.since'), cell: (debt) => <TimeAgo at={debt.createdAt} style="both" /> },
            ]}
          />
        </Panel>
      ) : null}
      <Panel title={t('balance.title')} id="balance" description={t('balance.help')} flush>
        {buckets.length === 0 ? (
          <Text c="dimmed" p="lg">
            {t('balance.nothing')}
          </Text>
        ) : (
          <DataTable
            label={t('balance.buckets')}
            rows={buckets}
            rowKey={(bucket) => bucket.id}
            columns={[
              {
                head: t('balance.kind'),
                primary: true,
                cell: (bucket) => (
                  <Stack gap={0}>
                    <strong>{bucketKindLabel(bucket.kind, language)}</strong>
                    {bucket.orderId ? (
                      <Anchor component={Link} to={`/admin/orders/${bucket.orderId}`} size="sm">
                        {t('balance.itsOrder')}
                      </Anchor>
                    ) : null}
                  </Stack>
                ),
              },
              {
                head: t('balance.left'),
                align: 'end',
                cell: (bucket) => <CreditAmount credits={bucket.remainingCredits} compact />,
              },
              {
                head: t('balance.expires'),
                cell: (bucket) =>
                  bucket.expiresAt ? (
                    <TimeAgo at={bucket.expiresAt} style="both" />
                  ) : (
                    <span className={classes.note}>{t('balance.never')}</span>
                  ),
              },
              {
                head: t('refunds.since'),
                cell: (bucket) => <TimeAgo at={bucket.createdAt} style="absolute" />,
              },
            ]}
          />
        )}
      </Panel>
    </>
  );
}
