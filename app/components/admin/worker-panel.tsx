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
import { formatInteger } from '#app/lib/format.ts';
import type { LaneReport, WorkerFreshness, WorkerView } from '#server/maintenance/schemas.ts';
import classes from './worker-panel.module.css';

type Look = { tone: Tone; Icon: LucideIcon; label: string };

const FRESHNESS: Record<WorkerFreshness, Look> = {
  fresh: { tone: 'good', Icon: CircleCheck, label: 'At work' },
  late: { tone: 'unsure', Icon: CircleDashed, label: 'Late' },
  gone: { tone: 'idle', Icon: Unplug, label: 'Gone' },
};

const LANE_STATES: Record<LaneReport['state'], Look> = {
  starting: { tone: 'idle', Icon: Rocket, label: 'Starting' },
  knocking: { tone: 'busy', Icon: RefreshCw, label: 'Knocking' },
  sleeping: { tone: 'good', Icon: Moon, label: 'Sleeping' },
  backing_off: { tone: 'bad', Icon: CircleX, label: 'Backing off' },
  stopped: { tone: 'idle', Icon: Unplug, label: 'Stopped' },
};

/** One daemon: when it was last seen, and what each of its lanes does. */
export function WorkerPanel({ worker }: { worker: WorkerView }) {
  const look = FRESHNESS[worker.freshness];
  return (
    <Panel
      title={worker.workerId}
      id={`worker-${worker.workerId.replace(/[^\w-]/g, '-')}`}
      flush
      actions={
        <ToneBadge tone={look.tone} icon={look.Icon}>
          {look.label}
        </ToneBadge>
      }
    >
      <p className={classes.facts}>
        Last seen <TimeAgo at={worker.lastSeenAt} /> · started <TimeAgo at={worker.startedAt} /> · version{' '}
        {worker.version} · protocol {worker.protocol} · {formatInteger(worker.heartbeats)} heartbeats
      </p>
      {worker.compatible ? null : (
        <div className={classes.notice}>
          <Notice tone="warning">
            This server does not serve its protocol, so its knocks are refused. Update the daemon to this
            release.
          </Notice>
        </div>
      )}
      {worker.lanes.length > 0 ? <LaneTable worker={worker} /> : null}
    </Panel>
  );
}

function LaneTable({ worker }: { worker: WorkerView }) {
  return (
    <DataTable
      label={`Lanes of ${worker.workerId}`}
      rows={worker.lanes}
      rowKey={(lane) => `${lane.name}-${lane.number}`}
      columns={[
        {
          head: 'Lane',
          primary: true,
          cell: (lane) => (
            <strong>
              {lane.name} {lane.number}
            </strong>
          ),
        },
        { head: 'State', cell: (lane) => <LaneState state={lane.state} /> },
        {
          head: 'Last knock',
          cell: (lane) => (lane.lastKnockAt ? <TimeAgo at={lane.lastKnockAt} /> : 'none yet'),
        },
        { head: 'Knocks', align: 'end', cell: (lane) => formatInteger(lane.knocks) },
        { head: 'Failures', align: 'end', cell: (lane) => formatInteger(lane.failures) },
        { head: 'Last error', cell: (lane) => lane.lastError ?? 'none' },
      ]}
    />
  );
}

function LaneState({ state }: { state: LaneReport['state'] }) {
  const look = LANE_STATES[state];
  return (
    <ToneBadge tone={look.tone} icon={look.Icon}>
      {look.label}
    </ToneBadge>
  );
}
