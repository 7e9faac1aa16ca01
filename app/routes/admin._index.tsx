import { Button, SimpleGrid } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ArrowRight } from 'lucide-react';
import { SetUpSteps } from '#app/components/admin/set-up-steps.tsx';
import { FactList } from '#app/components/ui/fact-list.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';

export const meta: MetaFunction = () => [{ title: 'Administration · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { adminTasks, channels, models, workers } = context.trpc;
  const [channelViews, modelViews, workerViews, attention, failed] = await loadOrThrow(
    request,
    Promise.all([
      channels.list(),
      models.list(),
      workers.list(),
      adminTasks.attention(),
      adminTasks.list({ status: 'failed', limit: 5 }),
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
    anyFailed: failed.items.length > 0,
  };
}

export default function AdminOverview() {
  const data = useLoaderData<typeof loader>();
  const ready = data.channels > 0 && data.modelsOffered > 0 && data.workersAtWork > 0;
  return (
    <>
      <PageHeader title="Administration" edge="Overview">
        {ready
          ? 'Everything that a task needs is there.'
          : 'A few steps until people can submit and walk away.'}
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
          { label: 'Workers at work', value: data.workersAtWork },
          { label: 'Channels on', value: `${data.channelsOn} of ${data.channels}` },
          { label: 'Models offered', value: `${data.modelsOffered} of ${data.models}` },
          { label: 'Uncertain tasks', value: countOf(data.uncertain, data) },
          { label: 'Refunds to look at', value: countOf(data.refunds, data) },
        ]}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Panel title="Needs attention">
          <p>{attentionWords(data)}</p>
          <Button component={Link} to="/admin/attention" variant="default" rightSection={<Arrow />}>
            Show what needs attention
          </Button>
        </Panel>
        <Panel title="Failed tasks">
          <p>
            {data.anyFailed
              ? 'Each one names its reason, with the upstream’s own words for you alone.'
              : 'None so far.'}
          </p>
          <Button component={Link} to="/admin/tasks?status=failed" variant="default" rightSection={<Arrow />}>
            Show failed tasks
          </Button>
        </Panel>
      </SimpleGrid>
    </>
  );
}

type Waiting = { uncertain: number; refunds: number; moreWait: boolean };

/** Both lists are cut at the same length, so only one that is as long as the longer can have been cut. */
function countOf(count: number, { uncertain, refunds, moreWait }: Waiting): string {
  return moreWait && count === Math.max(uncertain, refunds) ? `${count}+` : String(count);
}

function attentionWords({ uncertain, refunds }: Waiting): string {
  if (uncertain > 0) {
    return 'Nobody knows whether the upstream took some tasks. They wait for evidence; you can add it.';
  }
  if (refunds > 0) return 'Credits are owed to people, and booking them failed too often.';
  return 'Nothing. Every task that was sent has a known outcome or is on its way, and no refund is stuck.';
}

function Arrow() {
  return <ArrowRight size={16} aria-hidden="true" />;
}
