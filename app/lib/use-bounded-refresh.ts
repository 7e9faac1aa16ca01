import { useRevalidator } from '@remix-run/react';
import { useEffect, useState } from 'react';
import { useIsLoading } from './use-is-loading.ts';

const QUICK_MS = 3_000;
const QUICK_FOR_MS = 120_000;
const SLOW_MS = 15_000;
const FOR_MS = 2_700_000;

/**
 * Loads the page's data again while `active`: every 3 seconds for two minutes, then every 15, for 45 minutes at most.
 * Nothing is asked while the page is hidden; when it is shown again it asks at once and starts over.
 *
 * @returns whether it has given up, so that the page can say so
 */
export function useBoundedRefresh(active: boolean): boolean {
  const { revalidate } = useRevalidator();
  const isLoading = useIsLoading();
  const [stopped, setStopped] = useState(false);

  useEffect(() => {
    setStopped(false);
    if (!active) return;
    let startedAt = Date.now();
    let timer: ReturnType<typeof setTimeout> | undefined;

    const ask = () => {
      if (!isLoading()) revalidate();
    };
    const schedule = () => {
      const age = Date.now() - startedAt;
      if (age >= FOR_MS) return setStopped(true);
      timer = setTimeout(
        () => {
          ask();
          schedule();
        },
        age < QUICK_FOR_MS ? QUICK_MS : SLOW_MS,
      );
    };
    const onVisibility = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'hidden') return;
      startedAt = Date.now();
      setStopped(false);
      ask();
      schedule();
    };

    if (document.visibilityState !== 'hidden') schedule();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [active, revalidate, isLoading]);

  return stopped;
}
