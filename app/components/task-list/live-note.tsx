import { useT } from '#app/lib/language.tsx';
import type { WatchState } from '#app/lib/task-watch-hub.ts';
import { tasksTexts } from '#app/locales/tasks.ts';
import classes from './task-list.module.css';

/** How fresh the page is. Nothing while no task is under way. */
export function LiveNote({ state }: { state: WatchState }) {
  const t = useT(tasksTexts);
  return (
    <span className={classes.live} data-state={state}>
      {state === 'live' ? t('list.live') : state === 'polling' ? t('list.interrupted') : ''}
    </span>
  );
}
