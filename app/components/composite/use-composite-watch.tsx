import { useEffect } from 'react';
import { useEndAnnouncer } from '#app/components/task-list/use-end-announcer.tsx';
import { useRefresh } from '#app/lib/use-refresh.ts';
import { useTaskWatch } from '#app/lib/use-task-watch.ts';
import type { TaskView } from '#server/generation/schemas.ts';

/**
 * Watches a composite's own task. Its steps come with the loader only, and its version grows with each of them: the
 * loader runs again whenever a newer version was heard of than the one it gave.
 */
export function useCompositeWatch(loaded: TaskView) {
  const refresh = useRefresh();
  const { onEnd, announcer } = useEndAnnouncer();
  const { tasks, state } = useTaskWatch([loaded], onEnd);
  const task = tasks[0] ?? loaded;
  useEffect(() => {
    if (task.version > loaded.version) refresh();
  }, [task.version, loaded.version, refresh]);
  return { task, state, announcer };
}
