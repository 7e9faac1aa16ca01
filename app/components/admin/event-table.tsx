import { ArrowRight } from 'lucide-react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { statusLabel } from '#app/components/ui/status-badge.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { TaskEventView } from '#server/generation/schemas.ts';
import classes from './event-table.module.css';

/** The whole timeline for an operator, oldest first: what, from where to where, and who exactly. */
export function EventTable({ events }: { events: readonly TaskEventView[] }) {
  return (
    <Panel title="Timeline" flush>
      <DataTable
        label="Timeline"
        rows={events}
        rowKey={(event) => String(event.seq)}
        columns={[
          { head: 'No.', align: 'end', cell: (event) => event.seq },
          { head: 'When', cell: (event) => <TimeAgo at={event.at} style="absolute" /> },
          { head: 'What', primary: true, cell: (event) => event.text },
          { head: 'Change', cell: (event) => <Change event={event} /> },
          { head: 'Who', cell: (event) => <span className={classes.actor}>{event.actor}</span> },
        ]}
      />
    </Panel>
  );
}

function Change({ event }: { event: TaskEventView }) {
  if (!event.to) return <span className={classes.none}>none</span>;
  return (
    <span className={classes.change}>
      {event.from ? (
        <>
          {statusLabel(event.from)} <ArrowRight size={14} aria-label="to" />{' '}
        </>
      ) : null}
      {statusLabel(event.to)}
    </span>
  );
}
