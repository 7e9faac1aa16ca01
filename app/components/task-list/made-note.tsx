import { ArrowRight } from 'lucide-react';
import { shorten } from '#app/components/media/output-name.ts';
import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './task-list.module.css';

/**
 * After a submit: that it was accepted, and where it is; on a phone the list is far below the form. A plain anchor: a
 * `Link` to a bare hash would drop the query.
 */
export function MadeNote({ task }: { task: TaskView | undefined }) {
  const t = useT(tasksTexts);
  return (
    <div role="status" className={classes.madeNote}>
      {task ? (
        <p className={classes.made}>
          {t('list.made', { prompt: shorten(task.prompt, 40) })}{' '}
          <a href={`#task-${task.id}`} className={classes.madeLink}>
            {t('list.show')} <ArrowRight size={14} aria-hidden />
          </a>
        </p>
      ) : null}
    </div>
  );
}
