import type { WatchState } from '#app/lib/task-watch-hub.ts';
import classes from './task-list.module.css';

const WORDS: Record<WatchState, string> = {
  idle: '',
  connecting: '',
  live: 'Live',
  polling: 'Live updates are interrupted; checking every few seconds',
};

/** How fresh the page is. Nothing while no task is under way. */
export function LiveNote({ state }: { state: WatchState }) {
  return (
    <span className={classes.live} data-state={state}>
      {WORDS[state]}
    </span>
  );
}
