import { Anchor, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { moneyTexts } from '#app/locales/money.ts';
import type { BucketView } from '#server/billing/schemas.ts';
import { bucketKindLabel } from './bucket-words.ts';

/** What the balance is made of, in the order in which it is spent. */
export function BucketTable({ buckets }: { buckets: readonly BucketView[] }) {
  const t = useT(moneyTexts);
  return (
    <DataTable
      label={t('buckets.table')}
      rows={buckets}
      rowKey={(bucket) => bucket.id}
      columns={[
        {
          head: t('buckets.credits'),
          primary: true,
          cell: (bucket) => (
            <>
              <strong>
                <CreditAmount credits={bucket.remainingCredits} />
              </strong>
              {buckets.length > 1 && bucket === buckets[0] ? (
                <Text span size="sm" c="dimmed">
                  {' '}
                  · {t('buckets.first')}
                </Text>
              ) : null}
            </>
          ),
        },
        { head: t('buckets.kind'), cell: (bucket) => <Kind bucket={bucket} /> },
        { head: t('buckets.since'), cell: (bucket) => <TimeAgo at={bucket.createdAt} style="absolute" /> },
        {
          head: t('buckets.expires'),
          cell: (bucket) =>
            bucket.expiresAt ? <TimeAgo at={bucket.expiresAt} style="both" /> : t('buckets.never'),
        },
      ]}
    />
  );
}

function Kind({ bucket }: { bucket: BucketView }) {
  const word = bucketKindLabel(bucket.kind, useLanguage());
  if (!bucket.orderId) return word;
  return (
    <Anchor component={Link} to={`/orders/${bucket.orderId}`} underline="always">
      {word}
    </Anchor>
  );
}
