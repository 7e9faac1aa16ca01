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
  const [channelViews, modelViews, workerViews, uncertain, failed] = await loadOrThrow(
    request,
    Promise.all([
      channels.list(),
      models.list(),
      workers.list(),
      adminTasks.list({ status: 'uncertain', limit: 100 }),
      adminTasks.list({ status: 'failed', limit: 5 }),
    ]),
  );
  return {
    channels: channelViews.length,
    channelsOn: channelViews.filter((channel) => channel.enabled).length,
    models: modelViews.length,
    modelsOffered: modelViews.filter((model) => model.enabled && model.channel.enabled).length,
    workersAtWork: workerViews.filter((worker) => worker.freshness === 'fresh').length,
    uncertain: uncertain.items.length,
    moreUncertain: uncertain.nextCursor !== null,
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
          { label: 'Uncertain tasks', value: data.moreUncertain ? '100+' : data.uncertain },
        ]}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Panel title="Uncertain tasks">
          <p>
            {data.uncertain === 0
              ? 'None. Every task that was sent has a known outcome.'
              : 'Nobody knows whether the upstream took these. They wait for evidence; you can add it.'}
          </p>
          <Button
            component={Link}
            to="/admin/tasks?status=uncertain"
            variant="default"
            rightSection={<Arrow />}
          >
            Show uncertain tasks
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

function Arrow() {
  return <ArrowRight size={16} aria-hidden="true" />;
}
