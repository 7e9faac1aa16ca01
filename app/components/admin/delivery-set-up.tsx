import { Anchor, Code, Stack } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Inbox } from 'lucide-react';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { type ChannelView, catalogueEntry } from '#server/providers/channels/schemas.ts';

type Channel = Pick<ChannelView, 'id' | 'name' | 'protocol' | 'webhookAddress'>;

/** Channels whose vendor can report. */
export function reportingChannels<C extends Pick<ChannelView, 'protocol'>>(channels: readonly C[]): C[] {
  return channels.filter(({ protocol }) => (catalogueEntry(protocol)?.webhooks ?? 'none') !== 'none');
}

/** Nothing has come: what is missing for it, if anything. */
export function DeliverySetUp({ channels }: { channels: readonly Channel[] }) {
  const able = reportingChannels(channels);
  return (
    <EmptyState icon={Inbox} title="No upstream has reported yet">
      <Stack gap="xs">
        <NextStep channels={able} />
        <p>Without reports everything works, a little later: jobs are asked for again and again.</p>
      </Stack>
    </EmptyState>
  );
}

function NextStep({ channels }: { channels: readonly Channel[] }) {
  if (channels.length === 0) {
    return (
      <p>
        None of your channels has a vendor that reports. Where one does, its page under{' '}
        <Anchor component={Link} to="/admin/channels" inherit>
          Channels
        </Anchor>{' '}
        has a webhook address.
      </p>
    );
  }
  if (channels.every(({ webhookAddress }) => webhookAddress === null)) {
    return (
      <p>
        This server has no public address to report to. Set <Code>PUBLIC_ORIGIN</Code> to the https address
        that browsers use, and start it again.
      </p>
    );
  }
  return (
    <p>
      Where a vendor takes the webhook address with each task, it is sent along by itself. Others want it in
      their dashboard, and give a signing secret for it. Both have their place on the channel’s page:{' '}
      {channels.map((channel, index) => (
        <span key={channel.id}>
          {index > 0 ? ', ' : null}
          <Anchor component={Link} to={`/admin/channels/${channel.id}`} inherit>
            {channel.name}
          </Anchor>
        </span>
      ))}
      .
    </p>
  );
}
