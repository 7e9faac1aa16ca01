import { Anchor, Button, Text } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { Cable, Plus } from 'lucide-react';
import { ChannelState } from '#app/components/admin/channel-state.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { catalogueEntry } from '#server/providers/channels/schemas.ts';

export const meta: MetaFunction = () => [{ title: 'Channels · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { channels: await loadOrThrow(request, context.trpc.channels.list()), now: new Date() };
}

export default function Channels() {
  const { channels, now } = useLoaderData<typeof loader>();
  const add = (
    <Button component={Link} to="/admin/channels/new" leftSection={<Plus size={16} aria-hidden="true" />}>
      Add a channel
    </Button>
  );
  return (
    <>
      <PageHeader title="Channels" edge="Upstream" actions={channels.length > 0 ? add : null}>
        Accounts at upstream services. Keys are sealed; who wants to see one has to say why.
      </PageHeader>
      {channels.length === 0 ? (
        <EmptyState icon={Cable} title="No channel yet" action={add}>
          Nobody can submit before there is one. You need the base URL of a service and an API key.
        </EmptyState>
      ) : (
        <Panel flush>
          <DataTable
            label="Channels"
            rows={channels}
            rowKey={(channel) => channel.id}
            columns={[
              {
                head: 'Channel',
                primary: true,
                cell: (channel) => (
                  <>
                    <Anchor component={Link} to={`/admin/channels/${channel.id}`} fw={600}>
                      {channel.name}
                    </Anchor>
                    <Text size="sm" c="dimmed">
                      {channel.baseUrl}
                    </Text>
                  </>
                ),
              },
              {
                head: 'Protocol',
                cell: (channel) => catalogueEntry(channel.protocol)?.title ?? channel.protocol,
              },
              { head: 'State', cell: (channel) => <ChannelState channel={channel} now={now} /> },
              { head: 'Models', align: 'end', cell: (channel) => channel.models },
              { head: 'Key', cell: (channel) => (channel.key ? `…${channel.key.hint}` : 'none') },
              {
                head: 'Last error',
                cell: (channel) =>
                  channel.lastErrorAt ? (
                    <span>
                      {channel.lastErrorClass ?? 'error'}, <TimeAgo at={channel.lastErrorAt} />
                    </span>
                  ) : (
                    'none'
                  ),
              },
            ]}
          />
        </Panel>
      )}
    </>
  );
}
