import { Anchor, Code, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { notificationsTexts } from '#app/locales/notifications.ts';
import type { EndpointState, EndpointView } from '#server/notifications/schemas.ts';
import { ENDPOINT_LOOKS } from './endpoint-words.ts';

export function EndpointTable({ endpoints }: { endpoints: readonly EndpointView[] }) {
  const t = useT(notificationsTexts);
  return (
    <DataTable
      label={t('webhooks.panel')}
      rows={endpoints}
      rowKey={(endpoint) => endpoint.id}
      columns={[
        {
          head: t('webhooks.address'),
          primary: true,
          cell: ({ url, description }) => (
            <>
              {description ? <Text fw={600}>{description}</Text> : null}
              <Code style={{ overflowWrap: 'anywhere' }}>{url}</Code>
            </>
          ),
        },
        {
          head: t('webhooks.events'),
          cell: ({ events }) => t('webhooks.eventCount', { count: events.length }),
        },
        { head: t('webhooks.state'), cell: ({ state }) => <EndpointBadge state={state} /> },
        {
          head: t('webhooks.lastTaken'),
          cell: ({ lastSuccessAt }) => (lastSuccessAt ? <TimeAgo at={lastSuccessAt} /> : t('webhooks.never')),
        },
        {
          head: t('webhooks.open'),
          align: 'end',
          cell: ({ id, url }) => (
            <Anchor
              component={Link}
              to={`/settings/webhooks/${id}`}
              aria-label={t('webhooks.openOf', { url })}
              underline="always"
            >
              {t('webhooks.open')}
            </Anchor>
          ),
        },
      ]}
    />
  );
}

export function EndpointBadge({ state }: { state: EndpointState }) {
  const t = useT(notificationsTexts);
  return <ToneBadge {...ENDPOINT_LOOKS[state]}>{t(`webhooks.states.${state}`)}</ToneBadge>;
}
