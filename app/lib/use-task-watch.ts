import { createContext, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { TaskView } from '#server/generation/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import type { TaskWatchHub, WatchState } from './task-watch-hub.ts';

/** The tab's hub; null on the server and without a provider: tasks then stay as the loader gave them. */
const HubContext = createContext<TaskWatchHub | null>(null);

export const TaskWatchProvider = HubContext.Provider;

type Watched<T extends TaskView> = { tasks: T[]; state: WatchState };

/**
 * The loader's tasks, kept up to date while the component is mounted. Watches those that can still change and takes a
 * newer state only when its version is higher. `onEnd` is called once for each task that ended while being watched.
 */
export function useTaskWatch<T extends TaskView>(
  loaded: readonly T[],
  onEnd?: (task: TaskView) => void,
): Watched<T> {
  const hub = useContext(HubContext);
  const revision = useSyncExternalStore(hub?.subscribe ?? noSubscription, hub?.revision ?? zero, zero);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision stands for the hub's content
  const tasks = useMemo(() => loaded.map((task) => newest(task, hub?.get(task.id))), [loaded, hub, revision]);

  const liveIds = tasks
    .filter(canStillChange)
    .map((task) => task.id)
    .join(' ');
  useEffect(() => {
    if (hub === null || liveIds === '') return;
    return hub.watch(liveIds.split(' '));
  }, [hub, liveIds]);

  useEnds(tasks, onEnd);
  return { tasks, state: hub?.state() ?? 'idle' };
}

/** The newest state that was heard of one task, watched while the component is mounted; null watches nothing. */
export function useWatchedTask(taskId: string | null): TaskView | undefined {
  const hub = useContext(HubContext);
  useSyncExternalStore(hub?.subscribe ?? noSubscription, hub?.revision ?? zero, zero);
  useEffect(() => {
    if (hub === null || taskId === null) return;
    return hub.watch([taskId]);
  }, [hub, taskId]);
  return taskId === null ? undefined : hub?.get(taskId);
}

/** A task whose page can still show something new: not terminal, or its refund is still on the way. */
function canStillChange(task: TaskView): boolean {
  return !isTerminal(task.status) || task.money.state === 'refund_pending';
}

/** The newest state by the loader's task: the hub forgets in time, and the same object says that nothing has changed. */
const newestOf = new WeakMap<TaskView, TaskView>();

/** Details that only the loader knows (events) are kept; everything a list shows comes from the newer state. */
function newest<T extends TaskView>(loaded: T, heard: TaskView | undefined): T {
  const before = (newestOf.get(loaded) as T | undefined) ?? loaded;
  if (!heard || heard.version <= before.version) return before;
  const merged = { ...loaded, ...heard };
  newestOf.set(loaded, merged);
  return merged;
}

function useEnds(tasks: readonly TaskView[], onEnd: ((task: TaskView) => void) | undefined): void {
  const statuses = useRef(new Map<string, TaskView['status']>());
  const callback = useRef(onEnd);
  useEffect(() => {
    callback.current = onEnd;
  });
  useEffect(() => {
    for (const task of tasks) {
      const before = statuses.current.get(task.id);
      statuses.current.set(task.id, task.status);
      if (before !== undefined && !isTerminal(before) && isTerminal(task.status)) callback.current?.(task);
    }
  }, [tasks]);
}

const noSubscription = () => () => {};
const zero = () => 0;
