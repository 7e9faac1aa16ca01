import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminTexts } from '#app/locales/admin.ts';
import type { ChannelDeed, ChannelDetail, ChannelNumbers } from '#server/overview/schemas.ts';
import { BarChart } from './overview/bar-chart.tsx';

const HOUR_MS = 3_600_000;

/** A channel's last 24 hours, what went wrong in them, and what administrators did. */
export function ChannelNumbersPanels({
  numbers,
  detail,
}: {
  numbers: ChannelNumbers;
  detail: ChannelDetail;
}) {
  const t = useT(adminTexts);
  return (
    <>
      <Panel id="hours" title={t('channel.numbers.title')} description={t('channel.numbers.description')}>
        <BarChart
          label={t('channel.numbers.title')}
          bars={numbers.hours}
          barMs={HOUR_MS}
          series={[
            { name: t('channel.numbers.succeeded'), tone: 'good', value: (hour) => hour.succeeded },
            { name: t('channel.numbers.failed'), tone: 'bad', value: (hour) => hour.failed },
            { name: t('channel.numbers.putOff'), tone: 'unsure', value: (hour) => hour.putOff },
            { name: t('channel.numbers.other'), tone: 'idle', value: (hour) => hour.other },
          ]}
        />
      </Panel>
      <Panel
        id="errors"
        title={t('channel.errors.title')}
        description={t('channel.errors.description')}
        flush
      >
        {detail.errors.length === 0 ? (
          <Text size="sm" px="lg" pb="lg">
            {t('channel.errors.empty')}
          </Text>
        ) : (
          <ErrorTable errors={detail.errors} />
        )}
      </Panel>
      <Panel id="deeds" title={t('channel.history.title')}>
        {detail.deeds.length === 0 ? (
          <Text size="sm">{t('channel.history.empty')}</Text>
        ) : (
          <Stack component="ul" gap="xs" m={0} pl="md">
            {detail.deeds.map((deed) => (
              <li key={deed.id}>
                <DeedWords deed={deed} />
              </li>
            ))}
          </Stack>
        )}
      </Panel>
    </>
  );
}

function ErrorTable({ errors }: Pick<ChannelDetail, 'errors'>) {
  const t = useT(adminTexts);
  return (
    <DataTable
      label={t('channel.errors.title')}
      rows={errors}
      rowKey={({ dispatchId }) => dispatchId}
      columns={[
        { head: t('channel.errors.when'), primary: true, cell: ({ at }) => <TimeAgo at={at} /> },
        {
          head: t('channel.errors.outcome'),
          cell: ({ outcome }) => t(`channel.outcomes.${(outcome ?? 'unknown') as 'unknown'}`),
        },
        {
          head: t('channel.errors.words'),
          cell: ({ code, message }) => [code, message].filter(Boolean).join(': ') || t('none'),
        },
        {
          head: t('channel.errors.task'),
          cell: ({ taskId }) => (
            <Anchor component={Link} to={`/admin/tasks/${taskId}`}>
              {taskId.slice(0, 13)}…
            </Anchor>
          ),
        },
      ]}
    />
  );
}

/** Who did what, when and why. An act of a newer release shows its own name. */
export function DeedWords({ deed: { action, by, at, reason } }: { deed: ChannelDeed }) {
  const t = useT(adminTexts);
  const verb = action.split('.')[1] ?? action;
  return (
    <span>
      {t(`channels.deeds.${verb as 'pause'}`, { defaultValue: verb })} <TimeAgo at={at} />,{' '}
      {by === null ? t('channels.deeds.byCommandLine') : t('channels.deeds.by', { who: by })}
      {reason ? `: ${reason}` : ''}
    </span>
  );
}
