import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { TaskEventView } from '#server/generation/schemas.ts';
import classes from './timeline.module.css';

/** What happened to a task, oldest first, each with its moment and who did it. */
export function Timeline({ events }: { events: readonly TaskEventView[] }) {
  if (events.length === 0) return <p className={classes.empty}>Nothing has happened yet.</p>;
  return (
    <ol className={classes.timeline}>
      {events.map((event) => (
        <li key={event.seq} className={classes.event} data-tone={toneOf(event)}>
          <p className={classes.text}>{event.text}</p>
          <p className={classes.meta}>
            <TimeAgo at={event.at} style="absolute" />
            {' · '}
            {actorWords(event.actor)}
          </p>
        </li>
      ))}
    </ol>
  );
}

function toneOf(event: TaskEventView): string | undefined {
  if (event.to === 'succeeded') return 'good';
  if (event.to === 'failed') return 'bad';
  if (event.to === 'uncertain') return 'unsure';
  return event.to === null ? 'quiet' : undefined;
}

/** Who acted, in plain words. Ids stay out: the reader knows who they are, and operators are not theirs to name. */
function actorWords(actor: string): string {
  const [role = ''] = actor.split(':');
  switch (role) {
    case 'user':
      return 'you';
    case 'operator':
      return 'an operator';
    case 'policy':
      return 'by rule, when its time had run out';
    default:
      return 'Sidelane';
  }
}
