import { eventSentence } from '#app/components/task-card/coded-words.ts';
import { useSay } from '#app/components/task-card/say.ts';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { TaskEventView } from '#server/generation/schemas.ts';
import classes from './timeline.module.css';

/** What happened to a task, oldest first, each with its moment and who did it. */
export function Timeline({ events }: { events: readonly TaskEventView[] }) {
  const say = useSay();
  if (events.length === 0) return <p className={classes.empty}>{say.t('page.nothingHappened')}</p>;
  return (
    <ol className={classes.timeline}>
      {events.map((event) => (
        <li key={event.seq} className={classes.event} data-tone={toneOf(event)}>
          <p className={classes.text}>{eventSentence(say, event)}</p>
          <p className={classes.meta}>
            <TimeAgo at={event.at} style="absolute" />
            {' · '}
            {say.states(`actors.${roleOf(event.actor)}`)}
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
function roleOf(actor: string): 'user' | 'operator' | 'policy' | 'sidelane' {
  const [role] = actor.split(':');
  return role === 'user' || role === 'operator' || role === 'policy' ? role : 'sidelane';
}
