import { Outlet } from '@remix-run/react';
import { useEffect, useState } from 'react';
import { createTaskWatchHub } from '#app/lib/task-watch-hub.ts';
import { trpcWatchTransport } from '#app/lib/trpc-watch-transport.ts';
import { type Draft, DraftProvider } from '#app/lib/use-draft.ts';
import { TaskWatchProvider } from '#app/lib/use-task-watch.ts';

/** One hub for all pages of the workbench, so that going from list to task and back keeps one connection per tab. */
export default function WorkbenchLayout() {
  // On the server nothing is watched; the markup does not depend on it.
  const [hub] = useState(() =>
    typeof document === 'undefined' ? null : createTaskWatchHub(trpcWatchTransport),
  );

  const [drafts] = useState(() => new Map<string, Draft>());

  useEffect(() => {
    if (hub === null) return;
    const onVisible = () => {
      if (document.visibilityState === 'visible') hub.wake();
    };
    document.addEventListener('visibilitychange', onVisible);
    window.addEventListener('online', onVisible);
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      window.removeEventListener('online', onVisible);
    };
  }, [hub]);

  return (
    <TaskWatchProvider value={hub}>
      <DraftProvider value={drafts}>
        <Outlet />
      </DraftProvider>
    </TaskWatchProvider>
  );
}
