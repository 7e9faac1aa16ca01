import { Button, Group, SimpleGrid, Title } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ArrowRight } from 'lucide-react';
import { CostPanels } from '#app/components/admin/cost/cost-panels.tsx';
import { NowFigures, WindowFigures } from '#app/components/admin/overview/figures.tsx';
import { OverviewPanels } from '#app/components/admin/overview/overview-panels.tsx';
import { WindowSwitch } from '#app/components/admin/overview/window-switch.tsx';
import { SetUpSteps } from '#app/components/admin/set-up-steps.tsx';
import { FactList } from '#app/components/ui/fact-list.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readMoneyAttention } from '#app/lib/read-money-attention.ts';
import { readChoice } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useAutoRefresh } from '#app/lib/use-auto-refresh.ts';
import { adminTexts } from '#app/locales/admin.ts';
import { WINDOWS } from '#server/overview/schemas.ts';

const REFRESH_MS = 30_000;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminTexts.in(languageOf(matches))('overview.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { adminTasks, channels, models, workers, overview } = context.trpc;
  const window = readChoice(request.url, 'window', WINDOWS) ?? '24h';
  const [channelViews, modelViews, workerViews, attention, failed, money, view, costs] = await loadOrThrow(
    request,
    Promise.all([
      channels.list(),
      models.list(),
      workers.list(),
      adminTasks.attention(),
      adminTasks.list({ status: 'failed', limit: 5 }),
      readMoneyAttention(context),
      overview.summary({ window }),
      overview.costs({ days: window === '30d' ? 30 : 7 }),
    ]),
  );
  return {
    channels: channelViews.length,
    channelsOn: channelViews.filter((channel) => channel.enabled).length,
    models: modelViews.length,
    modelsOffered: modelViews.filter((model) => model.enabled && model.channel.enabled).length,
    workersAtWork: workerViews.filter((worker) => worker.freshness === 'fresh').length,
    uncertain: attention.uncertain.length,
    refunds: attention.refunds.length,
    moreWait: attention.hasMore,
    payments: money.mismatches.length + money.moneyRefunds.length,
    morePayments: money.hasMore,
    anyFailed: failed.items.length > 0,
    view,
    costs,
  };
}

export default function AdminOverview() {
  const t = useT(adminTexts);
  const data = useLoaderData<typeof loader>();
  useAutoRefresh(REFRESH_MS);
  const ready = data.channels > 0 && data.modelsOffered > 0 && data.workersAtWork > 0;
  return (
    <>
      <PageHeader title={t('overview.title')} edge={t('overview.edge')}>
        {ready ? t('overview.ready') : t('overview.notReady')}
      </PageHeader>
      {ready ? null : (
        <SetUpSteps
          hasChannel={data.channels > 0}
          hasModel={data.modelsOffered > 0}
          hasWorker={data.workersAtWork > 0}
        />
      )}
      <FactList
        facts={[
          { label: t('overview.facts.workers'), value: data.workersAtWork },
          {
            label: t('overview.facts.channels'),
            value: t('overview.facts.of', { some: data.channelsOn, all: data.channels }),
          },
          {
            label: t('overview.facts.models'),
            value: t('overview.facts.of', { some: data.modelsOffered, all: data.models }),
          },
          { label: t('overview.facts.uncertain'), value: countOf(data.uncertain, data) },
          { label: t('overview.facts.refunds'), value: countOf(data.refunds, data) },
          { label: t('overview.facts.payments'), value: `${data.payments}${data.morePayments ? '+' : ''}` },
        ]}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" mb="xl">
        <Panel id="needs-attention" title={t('overview.attention.title')}>
          <p>{t(`overview.attention.${attentionKey(data)}`)}</p>
          <Button component={Link} to="/admin/attention" variant="default" rightSection={<Arrow />}>
            {t('overview.attention.show')}
          </Button>
        </Panel>
        <Panel id="failed-tasks" title={t('overview.failed.title')}>
          <p>{data.anyFailed ? t('overview.failed.some') : t('overview.failed.none')}</p>
          <Button component={Link} to="/admin/tasks?status=failed" variant="default" rightSection={<Arrow />}>
            {t('overview.failed.show')}
          </Button>
        </Panel>
      </SimpleGrid>
      <NowFigures now={data.view.now} ledger={data.view.ledger} />
      <Group justify="space-between" mb="lg">
        <Title order={2}>{t('overview.window.title')}</Title>
        <WindowSwitch window={data.view.window} />
      </Group>
      <WindowFigures totals={data.view.totals} />
      <OverviewPanels view={data.view} />
      <CostPanels costs={data.costs} />
    </>
  );
}

type Waiting = { uncertain: number; refunds: number; payments: number; moreWait: boolean };

/** Both lists are cut at the same length, so only one that is as long as the longer can have been cut. */
function countOf(count: number, { uncertain, refunds, moreWait }: Omit<Waiting, 'payments'>): string {
  return moreWait && count === Math.max(uncertain, refunds) ? `${count}+` : String(count);
}

function attentionKey({ uncertain, refunds, payments }: Omit<Waiting, 'moreWait'>) {
  if (uncertain > 0) return 'uncertain';
  if (refunds > 0) return 'refunds';
  return payments > 0 ? 'payments' : 'nothing';
}

function Arrow() {
  return <ArrowRight size={16} aria-hidden="true" />;
}
