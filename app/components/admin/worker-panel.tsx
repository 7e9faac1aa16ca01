import { Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import {
  CircleCheck,
  CircleDashed,
  CircleX,
  type LucideIcon,
  Moon,
  RefreshCw,
  Rocket,
  Unplug,
} from 'lucide-react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { type Tone, ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { LaneReport, WorkerFreshness, WorkerView } from '#server/maintenance/schemas.ts';
import classes from './worker-panel.module.css';

const FRESHNESS: Record<WorkerFreshness, { tone: Tone; icon: LucideIcon }> = {
  fresh: { tone: 'good', icon: CircleCheck },
  late: { tone: 'unsure', icon: CircleDashed },
  gone: { tone: 'idle', icon: Unplug },
};

const LANE_STATES: Record<LaneReport['state'], { tone: Tone; icon: LucideIcon }> = {
  starting: { tone: 'idle', icon: Rocket },
  knocking: { tone: 'busy', icon: RefreshCw },
  sleeping: { tone: 'good', icon: Moon },
  backing_off: { tone: 'bad', icon: CircleX },
  stopped: { tone: 'idle', icon: Unplug },
};

/** One daemon: when it was last seen, and what each of its lanes does. */
export function WorkerPanel({ worker }: { worker: WorkerView }) {
  const t = useT(adminTexts);
  const format = useFormat();
  return (
    <Panel
      title={worker.workerId}
      id={`worker-${worker.workerId.replace(/[^\w-]/g, '-')}`}
      flush
      actions={
        <ToneBadge {...FRESHNESS[worker.freshness]}>{t(`workers.freshness.${worker.freshness}`)}</ToneBadge>
      }
    >
      <p className={classes.facts}>
        {t('workers.lastSeen')} <TimeAgo at={worker.lastSeenAt} /> · {t('workers.started')}{' '}
        <TimeAgo at={worker.startedAt} /> ·{' '}
        {t('workers.facts', {
          version: worker.version,
          protocol: worker.protocol,
          count: worker.heartbeats,
          heartbeats: format.integer(worker.heartbeats),
        })}
      </p>
      {worker.compatible ? null : (
        <div className={classes.notice}>
          <Notice tone="warning">{t('workers.incompatible')}</Notice>
        </div>
      )}
      {worker.lanes.length > 0 ? <LaneTable worker={worker} /> : null}
    </Panel>
  );
}

function LaneTable({ worker }: { worker: WorkerView }) {
  const t = useT(adminTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('workers.lanesOf', { worker: worker.workerId })}
      rows={worker.lanes}
      rowKey={(lane) => `${lane.name}-${lane.number}`}
      columns={[
        {
          head: t('workers.lane'),
          primary: true,
          cell: (lane) => (
            <strong>
              {laneName(t, lane.name)} {lane.number}
            </strong>
          ),
        },
        { head: t('workers.state'), cell: (lane) => <LaneState lane={lane} worker={worker} /> },
        {
          head: t('workers.lastKnock'),
          cell: (lane) => (lane.lastKnockAt ? <TimeAgo at={lane.lastKnockAt} /> : t('workers.noneYet')),
        },
        { head: t('workers.lastResult'), cell: (lane) => <LaneResult lane={lane} /> },
        { head: t('workers.knocks'), align: 'end', cell: (lane) => format.integer(lane.knocks) },
        { head: t('workers.failures'), align: 'end', cell: (lane) => format.integer(lane.failures) },
        { head: t('workers.lastError'), cell: (lane) => lane.lastError ?? t('none') },
      ]}
    />
  );
}

/** A lane of a daemon that is gone does nothing any more, whatever it last said. */
function LaneState({ lane, worker }: { lane: LaneReport; worker: WorkerView }) {
  const t = useT(adminTexts);
  const waits = lane.state === 'backing_off' && worker.freshness !== 'gone' && lane.nextKnockAt !== null;
  return (
    <div>
      <ToneBadge {...LANE_STATES[lane.state]}>{t(`workers.states.${lane.state}`)}</ToneBadge>
      {waits && lane.nextKnockAt ? (
        <Text size="xs" c="dimmed" mt={4}>
          {t('workers.nextKnock')} <TimeAgo at={lane.nextKnockAt} />
        </Text>
      ) : null}
    </div>
  );
}

/** Names that a daemon reports; one of another release may have names that this one does not know. */
const laneName = (t: TFunction<'admin'>, name: string): string =>
  t(`workers.lanes.${name}` as 'workers.lanes.orders', { defaultValue: name });
const countName = (t: TFunction<'admin'>, name: string): string =>
  t(`workers.counts.${name}` as 'workers.counts.claimed', { defaultValue: name });

/** What the last knock found and, when it found nothing, what the last one did that found something. */
function LaneResult({ lane: { lastResult, lastFound } }: { lane: LaneReport }) {
  const t = useT(adminTexts);
  const format = useFormat();
  if (!lastResult) return <>{t('workers.noneYet')}</>;
  const words = (counts: Record<string, number>) =>
    Object.entries(counts)
      .filter(([name, count]) => count !== 0 && name !== 'waitedMs')
      .map(([name, count]) => `${countName(t, name)} ${format.integer(count)}`)
      .join(', ');
  const now = words(lastResult);
  return (
    <div>
      {now || t('workers.nothingDue')}
      {lastFound && words(lastFound.counts) !== now ? (
        <Text size="xs" c="dimmed" mt={4}>
          <TimeAgo at={lastFound.at} />: {words(lastFound.counts)}
        </Text>
      ) : null}
    </div>
  );
}
