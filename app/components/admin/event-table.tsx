import { ArrowRight } from 'lucide-react';
import { eventSentence } from '#app/components/task-card/coded-words.ts';
import { useSay } from '#app/components/task-card/say.ts';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { attentionTexts } from '#app/locales/attention.ts';
import { statesTexts } from '#app/locales/states.ts';
import type { TaskEventView } from '#server/generation/schemas.ts';
import classes from './event-table.module.css';

/** The whole timeline for an operator, oldest first: what, from where to where, and who exactly. */
export function EventTable({ events }: { events: readonly TaskEventView[] }) {
  const t = useT(attentionTexts);
  const say = useSay();
  return (
    <Panel id="timeline" title={t('timeline.title')} flush>
      <DataTable
        label={t('timeline.title')}
        rows={events}
        rowKey={(event) => String(event.seq)}
        columns={[
          { head: t('timeline.number'), align: 'end', cell: (event) => event.seq },
          { head: t('timeline.when'), cell: (event) => <TimeAgo at={event.at} style="absolute" /> },
          { head: t('timeline.what'), primary: true, cell: (event) => eventSentence(say, event) },
          { head: t('timeline.change'), cell: (event) => <Change event={event} /> },
          { head: t('timeline.who'), cell: (event) => <span className={classes.actor}>{event.actor}</span> },
        ]}
      />
    </Panel>
  );
}

function Change({ event }: { event: TaskEventView }) {
  const t = useT(attentionTexts);
  const states = useT(statesTexts);
  if (!event.to) return <span className={classes.none}>{t('timeline.none')}</span>;
  return (
    <span className={classes.change}>
      {event.from ? (
        <>
          {states(`status.${event.from}`)} <ArrowRight size={14} aria-label={t('timeline.to')} />{' '}
        </>
      ) : null}
      {states(`status.${event.to}`)}
    </span>
  );
}
