import { useRevalidator } from '@remix-run/react';
import { useCallback, useEffect } from 'react';
import { useIsLoading } from './use-is-loading.ts';

/** Milliseconds between two looks at whether the page is still loading, and between two loads. */
export const REFRESH_GAP_MS = 150;

/** A component that wants fresh data; it asks when nothing is being loaded and says whether it could. */
type Asker = () => boolean;

/** Those who wait, of the whole tab: one load serves them all. */
const waiting = new Set<Asker>();
let isTimed = false;

function serve(): void {
  isTimed = false;
  const [asker] = waiting;
  if (!asker) return;
  if (asker()) waiting.clear();
  serveIn(REFRESH_GAP_MS);
}

function serveIn(ms: number): void {
  isTimed = true;
  setTimeout(serve, ms);
}

/**
 * Returns what loads the page's data again: soon, once for all who ask at the same time, and only when nothing else is
 * loading, because a second load would break off the first one in the middle of its answer.
 */
export function useRefresh(): () => void {
  const { revalidate } = useRevalidator();
  const isLoading = useIsLoading();

  const ask = useCallback<Asker>(() => {
    if (isLoading()) return false;
    revalidate();
    return true;
  }, [revalidate, isLoading]);
  // A page that has gone wants nothing: the one that has come instead has loaded its own data.
  useEffect(() => () => void waiting.delete(ask), [ask]);

  return useCallback(() => {
    waiting.add(ask);
    if (!isTimed) serveIn(0);
  }, [ask]);
}
