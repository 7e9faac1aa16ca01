import { Anchor, Code, Stack } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Inbox } from 'lucide-react';
import { Trans } from 'react-i18next';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { useT } from '#app/lib/language.tsx';
import { attentionTexts } from '#app/locales/attention.ts';
import { type ChannelView, catalogueEntry } from '#server/providers/channels/schemas.ts';

type Channel = Pick<ChannelView, 'id' | 'name' | 'protocol' | 'webhookAddress'>;

/** Channels whose vendor can report. */
export function reportingChannels<C extends Pick<ChannelView, 'protocol'>>(channels: readonly C[]): C[] {
  return channels.filter(({ protocol }) => (catalogueEntry(protocol)?.webhooks ?? 'none') !== 'none');
}

/** Nothing has come: what is missing for it, if anything. */
export function DeliverySetUp({ channels }: { channels: readonly Channel[] }) {
  const t = useT(attentionTexts);
  const able = reportingChannels(channels);
  return (
    <EmptyState icon={Inbox} title={t('inbox.none')}>
      <Stack gap="xs">
        <p>
          <NextStep channels={able} />
        </p>
        <p>{t('inbox.without')}</p>
      </Stack>
    </EmptyState>
  );
}

function NextStep({ channels }: { channels: readonly Channel[] }) {
  const t = useT(attentionTexts);
  if (channels.length === 0) {
    const link = <Anchor component={Link} to="/admin/channels" inherit />;
    return <Trans t={t} i18nKey="inbox.noVendor" components={{ channels: link }} />;
  }
  if (channels.every(({ webhookAddress }) => webhookAddress === null)) {
    return <Trans t={t} i18nKey="inbox.noOrigin" components={{ code: <Code /> }} />;
  }
  return (
    <Trans t={t} i18nKey="inbox.setUp" components={{ channels: <ChannelLinks channels={channels} /> }} />
  );
}

function ChannelLinks({ channels }: { channels: readonly Channel[] }) {
  return channels.map((channel, index) => (
    <span key={channel.id}>
      {index > 0 ? ', ' : null}
      <Anchor component={Link} to={`/admin/channels/${channel.id}`} inherit>
        {channel.name}
      </Anchor>
    </span>
  ));
}
