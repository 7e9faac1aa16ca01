import { useEffect } from 'react';
import { useRefresh } from './use-refresh.ts';

/** Loads the page's data again every `everyMs` milliseconds while the page is visible and nothing else is loading. */
export function useAutoRefresh(everyMs: number): void {
  const refresh = useRefresh();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, refresh]);
}
