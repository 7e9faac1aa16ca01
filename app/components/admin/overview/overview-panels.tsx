import { SimpleGrid, Stack, Text } from '@mantine/core';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { OverviewBar, OverviewView } from '#server/overview/schemas.ts';
import { BarChart } from './bar-chart.tsx';
import { ModelTimes } from './model-times.tsx';

/** What was submitted in the window: how it ended, what was charged, how long it took and why it failed. */
export function OverviewPanels({ view }: { view: OverviewView }) {
  const t = useT(adminTexts);
  const format = useFormat();
  const { bars, barMs, models, failures } = view;
  const underWay = ({ submitted, succeeded, failed, cancelled }: OverviewBar) =>
    submitted - succeeded - failed - cancelled;
  return (
    <Stack gap="lg">
      <Panel
        id="throughput"
        title={t('overview.throughput.title')}
        description={t('overview.throughput.description')}
      >
        <BarChart
          label={t('overview.throughput.title')}
          bars={bars}
          barMs={barMs}
          series={[
            { name: t('overview.throughput.succeeded'), tone: 'good', value: (bar) => bar.succeeded },
            { name: t('overview.throughput.failed'), tone: 'bad', value: (bar) => bar.failed },
            { name: t('overview.throughput.cancelled'), tone: 'idle', value: (bar) => bar.cancelled },
            { name: t('overview.throughput.underWay'), tone: 'busy', value: underWay },
          ]}
          columns={[
            {
              head: t('overview.throughput.submitted'),
              cell: ({ submitted }) => format.integer(submitted),
            },
            { head: t('overview.throughput.people'), cell: ({ people }) => format.integer(people) },
          ]}
        />
      </Panel>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Panel
          id="charged"
          title={t('overview.charged.title')}
          description={t('overview.charged.description')}
        >
          <BarChart
            label={t('overview.charged.title')}
            bars={bars}
            barMs={barMs}
            series={[
              { name: t('overview.charged.series'), tone: 'busy', value: (bar) => bar.chargedCredits },
            ]}
          />
        </Panel>
        <Panel id="bought" title={t('overview.bought.title')} description={t('overview.bought.description')}>
          <BarChart
            label={t('overview.bought.title')}
            bars={bars}
            barMs={barMs}
            series={[{ name: t('overview.bought.series'), tone: 'good', value: (bar) => bar.boughtCredits }]}
          />
        </Panel>
        <Panel id="people" title={t('overview.people.title')} description={t('overview.people.description')}>
          <BarChart
            label={t('overview.people.title')}
            bars={bars}
            barMs={barMs}
            series={[{ name: t('overview.people.series'), tone: 'unsure', value: (bar) => bar.people }]}
          />
        </Panel>
        <Panel
          id="reasons"
          title={t('overview.reasons.title')}
          description={t('overview.reasons.description')}
        >
          {failures.length === 0 ? (
            <Text size="sm">{t('overview.reasons.empty')}</Text>
          ) : (
            <DefinitionList
              entries={failures.map(({ code, count }) => [
                t(`overview.reasons.codes.${code as 'rejected'}`, { defaultValue: code }),
                format.integer(count),
              ])}
            />
          )}
        </Panel>
      </SimpleGrid>
      <Panel
        id="model-times"
        title={t('overview.models.title')}
        description={t('overview.models.description')}
        flush
      >
        {models.length === 0 ? (
          <Text size="sm" p="lg">
            {t('overview.models.empty')}
          </Text>
        ) : (
          <ModelTimes models={models} />
        )}
      </Panel>
    </Stack>
  );
}
