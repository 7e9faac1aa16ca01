import { useCallback, useState } from 'react';
import { useSay } from '#app/components/task-card/say.ts';
import { endAnnouncement } from '#app/components/task-card/task-words.ts';
import { useRefresh } from '#app/lib/use-refresh.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './task-list.module.css';

/**
 * For a page that watches tasks: when one ends, loaders run again (the balance in the header has moved) and screen
 * readers hear of it once they have finished their sentence.
 */
export function useEndAnnouncer() {
  const refresh = useRefresh();
  const say = useSay();
  const [said, setSaid] = useState('');
  const onEnd = useCallback(
    (task: TaskView) => {
      setSaid(endAnnouncement(task, say));
      refresh();
    },
    [refresh, say],
  );
  return { onEnd, announcer: <Announcer text={said} /> };
}

/** Always in the page, so that a change of its text is what is announced. */
function Announcer({ text }: { text: string }) {
  return (
    <div role="status" aria-live="polite" className={classes.hidden}>
      {text}
    </div>
  );
}
