import { useRevalidator } from '@remix-run/react';
import { useEffect, useRef } from 'react';

/** Loads the page's data again every `everyMs` milliseconds while the page is visible and nothing else is loading. */
export function useAutoRefresh(everyMs: number): void {
  const revalidator = useRevalidator();
  const latest = useRef(revalidator);
  latest.current = revalidator;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && latest.current.state === 'idle')
        latest.current.revalidate();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
