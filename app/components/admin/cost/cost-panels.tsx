import { Anchor, Button, Stack, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Download } from 'lucide-react';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { costsTexts } from '#app/locales/costs.ts';
import type { CostDay, Costs, CostsView } from '#server/overview/schemas.ts';
import { BarChart } from '../overview/bar-chart.tsx';
import { MarginTable } from './margin-table.tsx';
import { useMicros } from './use-micros.ts';

const DAY_MS = 86_400_000;

/** What people were charged beside what the upstreams took, by day and by model. */
export function CostPanels({ costs }: { costs: CostsView }) {
  const t = useT(costsTexts);
  const { days, totals, models, paid } = costs;
  return (
    <Stack gap="lg" mt="lg">
      <Panel
        id="spend-and-cost"
        title={t('days.title')}
        description={t('days.description', { count: days.length })}
        actions={
          <Button
            component="a"
            href={`/admin/costs.csv?days=${days.length}`}
            variant="default"
            size="xs"
            leftSection={<Download size={14} aria-hidden="true" />}
          >
            {t('days.csv')}
          </Button>
        }
      >
        <Stack gap="xl">
          <BarChart
            label={t('days.spend')}
            bars={days}
            barMs={DAY_MS}
            series={[{ name: t('days.spend'), tone: 'busy', value: (day) => day.chargedCredits }]}
          />
          {totals.sums.length === 0 ? (
            <Text size="sm">
              {t('days.none')}{' '}
              <Anchor component={Link} to="/admin/models" underline="always">
                {t('days.models')}
              </Anchor>
            </Text>
          ) : (
            totals.sums.map(({ currency }) => <CostChart key={currency} currency={currency} days={days} />)
          )}
          <CostNotes totals={totals} />
        </Stack>
      </Panel>
      <Panel id="margins" title={t('margin.title')} description={t('margin.description')} flush>
        {models.length === 0 ? (
          <Text size="sm" p="lg">
            {t('margin.empty')}
          </Text>
        ) : (
          <MarginTable models={models} paid={paid} />
        )}
      </Panel>
    </Stack>
  );
}

/** What was taken in one currency; what nobody can tell stands on top of what is known. */
function CostChart({ currency, days }: { currency: string; days: readonly CostDay[] }) {
  const t = useT(costsTexts);
  const format = useFormat();
  const micros = useMicros();
  const sumOf = ({ sums }: CostDay) => sums.find((sum) => sum.currency === currency);
  return (
    <BarChart
      label={t('days.cost', { currency })}
      bars={days}
      barMs={DAY_MS}
      write={(value) => micros(value, currency)}
      series={[
        { name: t('days.known'), tone: 'good', value: (day) => sumOf(day)?.micros ?? 0 },
        { name: t('days.possible'), tone: 'unsure', value: (day) => sumOf(day)?.possibleMicros ?? 0 },
      ]}
      columns={[
        { head: t('days.spend'), cell: ({ chargedCredits }) => format.integer(chargedCredits) },
        { head: t('days.open'), cell: (day) => format.integer(sumOf(day)?.openCalls ?? 0) },
        { head: t('days.unknownCalls'), cell: (day) => format.integer(sumOf(day)?.possibleCalls ?? 0) },
        { head: t('days.unpriced'), cell: ({ unpricedCalls }) => format.integer(unpricedCalls) },
      ]}
    />
  );
}

/** What the sums leave out, in words. */
function CostNotes({ totals: { sums, unpricedCalls } }: { totals: Costs }) {
  const t = useT(costsTexts);
  const micros = useMicros();
  const notes = [
    ...sums.flatMap(({ currency, possibleCalls, possibleMicros, unboundedCalls }) => [
      possibleCalls > unboundedCalls
        ? t('days.notes.possible', { count: possibleCalls, amount: micros(possibleMicros, currency) })
        : null,
      unboundedCalls > 0 ? t('days.notes.unbounded', { count: unboundedCalls }) : null,
    ]),
    unpricedCalls > 0 ? t('days.notes.unpriced', { count: unpricedCalls }) : null,
  ].filter((note) => note !== null);
  if (notes.length === 0) return null;
  return (
    <Stack gap="xs">
      {notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
    </Stack>
  );
}
