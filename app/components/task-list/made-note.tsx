import { ArrowRight } from 'lucide-react';
import { shorten } from '#app/components/media/output-player.tsx';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './task-list.module.css';

/**
 * After a submit: that it was accepted, and where it is; on a phone the list is far below the form. A plain anchor: a
 * `Link` to a bare hash would drop the query.
 */
export function MadeNote({ task }: { task: TaskView | undefined }) {
  return (
    <div role="status" className={classes.madeNote}>
      {task ? (
        <p className={classes.made}>
          Accepted: “{shorten(task.prompt, 40)}”. It goes on when you close this page.{' '}
          <a href={`#task-${task.id}`} className={classes.madeLink}>
            Show it <ArrowRight size={14} aria-hidden />
          </a>
        </p>
      ) : null}
    </div>
  );
}
