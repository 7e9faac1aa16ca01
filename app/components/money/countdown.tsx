import { useEffect, useState } from 'react';
import { formatDuration } from '#app/lib/format.ts';
import classes from './money.module.css';

type CountdownProps = {
  until: Date;
  /** The server's time when it made the page: the reader's own clock may be wrong. */
  now: Date;
};

/**
 * The time that is left, each second, in a box that does not change its size. Before hydration it says what was left
 * when the page was made. Quiet for screen readers: the moment itself belongs beside it.
 */
export function Countdown({ until, now }: CountdownProps) {
  const atLoad = until.getTime() - now.getTime();
  const [left, setLeft] = useState(atLoad);
  useEffect(() => {
    const end = Date.now() + atLoad;
    const tick = () => setLeft(end - Date.now());
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [atLoad]);
  return (
    <span role="timer" aria-live="off" className={classes.countdown}>
      {formatDuration(left)}
    </span>
  );
}
