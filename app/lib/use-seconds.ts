import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Between two ticks, in ms; readers who want less motion see a new time ten times less often. */
const tickMs = () => (window.matchMedia?.('(prefers-reduced-motion: reduce)').matches ? 10_000 : 1_000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    if (document.visibilityState === 'hidden') return;
    for (const each of listeners) each();
  }, tickMs());
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const nothing = () => () => {};
const secondsNow = () => Math.floor(Date.now() / 1000);

/**
 * Seconds since 1970, anew with each tick while `active`; null on the server and while its page is taken over. One timer
 * serves the whole tab, and it rests while nobody looks.
 */
export function useSeconds(active: boolean): number | null {
  return useSyncExternalStore<number | null>(active ? subscribe : nothing, active ? secondsNow : none, none);
}

const none = () => null;
