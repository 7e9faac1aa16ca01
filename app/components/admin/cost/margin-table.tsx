import { Anchor, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { costsTexts } from '#app/locales/costs.ts';
import type { ModelCosts, PaidCredits } from '#server/overview/schemas.ts';
import { type Margin, marginOf } from './margin-of.ts';
import { useMicros } from './use-micros.ts';

type MarginTableProps = { models: readonly ModelCosts[]; paid: readonly PaidCredits[] };

/** What each model took in and what it cost; what is not known is said, and never taken for nothing. */
export function MarginTable({ models, paid }: MarginTableProps) {
  const t = useT(costsTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('margin.title')}
      rows={models}
      rowKey={({ modelId }) => modelId}
      columns={[
        {
          head: t('margin.model'),
          primary: true,
          cell: ({ modelId, title }) => (
            <Anchor component={Link} to={`/admin/models/${modelId}`}>
              {title}
            </Anchor>
          ),
        },
        {
          head: t('margin.charged'),
          align: 'end',
          cell: ({ chargedCredits }) => format.credits(chargedCredits),
        },
        {
          head: t('margin.worth'),
          align: 'end',
          cell: (model) => <Worth margin={marginOf(model, paid)} />,
        },
        { head: t('margin.cost'), align: 'end', cell: (model) => <Cost model={model} /> },
        {
          head: t('margin.margin'),
          align: 'end',
          cell: (model) => <Share margin={marginOf(model, paid)} />,
        },
      ]}
    />
  );
}

function Worth({ margin }: { margin: Margin | null }) {
  const t = useT(costsTexts);
  const micros = useMicros();
  if (!margin) return <>{t('margin.unknown')}</>;
  if (margin.worthMicros === null) return <>{t('margin.notComparable')}</>;
  return <>{micros(margin.worthMicros, margin.sum.currency)}</>;
}

function Cost({ model: { sums, unpricedCalls } }: { model: ModelCosts }) {
  const t = useT(costsTexts);
  const micros = useMicros();
  const untold = unpricedCalls + sums.reduce((all, { unboundedCalls }) => all + unboundedCalls, 0);
  return (
    <div>
      {sums.length === 0 ? t('margin.unknown') : null}
      {sums.map(({ currency, micros: known, knownCalls, possibleMicros }) => (
        <div key={currency}>
          {knownCalls > 0 ? micros(known, currency) : t('margin.unknown')}
          {possibleMicros > 0 ? (
            <Text size="xs" c="dimmed">
              {t('margin.plus', { amount: micros(possibleMicros, currency) })}
            </Text>
          ) : null}
        </div>
      ))}
      {untold > 0 ? (
        <Text size="xs" c="dimmed">
          {t('margin.partly', { count: untold })}
        </Text>
      ) : null}
    </div>
  );
}

function Share({ margin }: { margin: Margin | null }) {
  const t = useT(costsTexts);
  const format = useFormat();
  if (margin === null || margin.percent === null) return <>{t('margin.unknown')}</>;
  const percent = format.percent(margin.percent);
  return <>{margin.isAtMost ? t('margin.atMost', { margin: percent }) : percent}</>;
}
