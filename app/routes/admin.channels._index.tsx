import { Anchor, Button, NativeSelect, Text, TextInput } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import { Cable, Plus, Search } from 'lucide-react';
import { LastError } from '#app/components/admin/channel-health.tsx';
import { DeedWords } from '#app/components/admin/channel-numbers.tsx';
import { ChannelState } from '#app/components/admin/channel-state.tsx';
import { HourBars } from '#app/components/admin/hour-bars.tsx';
import filterClasses from '#app/components/admin/list-filters.module.css';
import { protocolTitle } from '#app/components/admin/protocol-words.ts';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readChoice, readText } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { ChannelNumbers } from '#server/overview/schemas.ts';
import { type ChannelView, PROTOCOLS } from '#server/providers/channels/schemas.ts';

const STATES = ['on', 'held', 'off'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminTexts.in(languageOf(matches))('channels.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { channels, overview } = context.trpc;
  const [all, numbers] = await loadOrThrow(request, Promise.all([channels.list(), overview.channels()]));
  const filters = {
    state: readChoice(request.url, 'state', STATES) ?? '',
    protocol: readChoice(request.url, 'protocol', PROTOCOLS) ?? '',
    text: readText(request.url, 'text', 80) ?? '',
  };
  const now = new Date();
  const rows = all
    .filter((channel) => filters.state === '' || stateOf(channel) === filters.state)
    .filter((channel) => filters.protocol === '' || channel.protocol === filters.protocol)
    .filter(({ name, baseUrl }) => `${name} ${baseUrl}`.toLowerCase().includes(filters.text.toLowerCase()))
    .map((channel) => ({ channel, numbers: numbers.find(({ channelId }) => channelId === channel.id) }));
  return { rows, filters, hasAny: all.length > 0, now };
}

function stateOf({ enabled, pausedUntil, coolDownUntil }: ChannelView): (typeof STATES)[number] {
  if (!enabled) return 'off';
  return pausedUntil || coolDownUntil ? 'held' : 'on';
}

export default function Channels() {
  const t = useT(adminTexts);
  const { rows, filters, hasAny, now } = useLoaderData<typeof loader>();
  const add = (
    <Button component={Link} to="/admin/channels/new" leftSection={<Plus size={16} aria-hidden="true" />}>
      {t('channels.add')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('channels.title')} edge={t('channels.edge')} actions={hasAny ? add : null}>
        {t('channels.lead')}
      </PageHeader>
      {hasAny ? (
        <>
          <Filters filters={filters} key={Object.values(filters).join(' ')} />
          {rows.length === 0 ? (
            <EmptyState
              icon={Search}
              title={t('channels.noMatch.title')}
              action={
                <Button component={Link} to="/admin/channels" variant="default">
                  {t('clear')}
                </Button>
              }
            >
              {t('channels.noMatch.text')}
            </EmptyState>
          ) : (
            <Panel flush>
              <ChannelTable rows={rows} now={now} />
            </Panel>
          )}
        </>
      ) : (
        <EmptyState icon={Cable} title={t('channels.empty.title')} action={add}>
          {t('channels.empty.text')}
        </EmptyState>
      )}
    </>
  );
}

function Filters({ filters }: { filters: { state: string; protocol: string; text: string } }) {
  const t = useT(adminTexts);
  const any = { value: '', label: t('any') };
  return (
    <Form method="get" className={filterClasses.root} role="search">
      <NativeSelect
        label={t('channels.filters.state')}
        name="state"
        defaultValue={filters.state}
        data={[any, ...STATES.map((value) => ({ value, label: t(`channels.filters.${value}`) }))]}
      />
      <NativeSelect
        label={t('channels.filters.protocol')}
        name="protocol"
        defaultValue={filters.protocol}
        data={[any, ...PROTOCOLS.map((value) => ({ value, label: protocolTitle(t, value) }))]}
      />
      <TextInput
        label={t('channels.filters.text')}
        name="text"
        defaultValue={filters.text}
        type="search"
        maxLength={80}
      />
      <Button type="submit" variant="default" leftSection={<Search size={16} aria-hidden="true" />}>
        {t('show')}
      </Button>
    </Form>
  );
}

type Row = { channel: ChannelView; numbers: ChannelNumbers | undefined };

function ChannelTable({ rows, now }: { rows: readonly Row[]; now: Date }) {
  const t = useT(adminTexts);
  return (
    <DataTable
      label={t('channels.title')}
      rows={rows}
      rowKey={({ channel }) => channel.id}
      columns={[
        {
          head: t('channels.columns.channel'),
          primary: true,
          cell: ({ channel }) => (
            <>
              <Anchor component={Link} to={`/admin/channels/${channel.id}`} fw={600}>
                {channel.name}
              </Anchor>
              <Text size="sm" c="dimmed">
                {protocolTitle(t, channel.protocol)} · {channel.baseUrl}
              </Text>
            </>
          ),
        },
        { head: t('channels.columns.state'), cell: (row) => <State row={row} now={now} /> },
        { head: t('channels.columns.load'), align: 'end', cell: (row) => <Load row={row} /> },
        {
          head: t('channels.columns.hours'),
          cell: ({ numbers }) => <HourBars hours={numbers?.hours ?? []} />,
        },
        { head: t('channels.columns.models'), align: 'end', cell: ({ channel }) => channel.models },
        { head: t('channels.columns.lastError'), cell: ({ channel }) => <LastError channel={channel} /> },
      ]}
    />
  );
}

/** Whether it takes work, and when it does not: who saw to that, and why. */
function State({ row: { channel, numbers }, now }: { row: Row; now: Date }) {
  const t = useT(adminTexts);
  const deed = numbers?.lastDeed;
  const { enabled, pausedUntil, coolDownUntil, lastErrorAt, lastErrorClass } = channel;
  const until = pausedUntil ?? coolDownUntil;
  // A 429 after it may have prolonged the pause: then it is nobody's.
  const isLimited =
    lastErrorClass === 'rate_limited' && lastErrorAt !== null && deed && lastErrorAt > deed.at;
  const isBraked =
    (!enabled && deed?.action === 'channel.disable') ||
    (pausedUntil !== null && deed?.action === 'channel.pause' && !isLimited);
  return (
    <div>
      <ChannelState channel={channel} now={now} />
      {enabled && until ? (
        <Text size="xs" c="dimmed" mt={4}>
          {t('channels.until')} <TimeAgo at={until} style="absolute" />
        </Text>
      ) : null}
      {deed && isBraked ? (
        <Text size="xs" c="dimmed" mt={4}>
          <DeedWords deed={deed} />
        </Text>
      ) : null}
    </div>
  );
}

function Load({ row: { channel, numbers } }: { row: Row }) {
  const t = useT(adminTexts);
  const format = useFormat();
  return (
    <div>
      {t('channels.inFlightOf', {
        some: format.integer(numbers?.inFlight ?? 0),
        most: format.integer(channel.maxInFlight),
      })}
      {numbers && numbers.queued > 0 ? (
        <Text size="xs" c="dimmed">
          {t('channels.queued', { count: numbers.queued })}
        </Text>
      ) : null}
    </div>
  );
}
