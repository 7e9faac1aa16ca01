import { Button, Loader } from '@mantine/core';
import { Link } from '@remix-run/react';
import { ArrowDown, ArrowLeft } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import classes from './task-list.module.css';

type FeedEndProps = {
  state: 'idle' | 'loading' | 'failed';
  /** The page after the last task; null when there is none. */
  olderHref: string | null;
  /** The newest page, where the list does not begin with it. */
  newestHref: string | null;
  loadMore: () => void;
};

/** The end of the list: older tasks come by themselves when it is near, by its button, or without a script as a page. */
export function FeedEnd({ state, olderHref, newestHref, loadMore }: FeedEndProps) {
  const t = useT(tasksTexts);
  const end = useRef<HTMLDivElement>(null);
  useWhenNear(end, loadMore, state === 'idle' && olderHref !== null);
  if (olderHref === null && newestHref === null) return null;
  return (
    <div ref={end} className={classes.end}>
      {newestHref === null ? null : (
        <Button
          component={Link}
          to={newestHref}
          variant="default"
          leftSection={<ArrowLeft size={16} aria-hidden />}
        >
          {t('list.newest')}
        </Button>
      )}
      {state === 'failed' ? <span role="alert">{t('list.loadFailed')}</span> : null}
      {olderHref === null ? null : (
        <Button
          component={Link}
          to={olderHref}
          variant="default"
          leftSection={
            state === 'loading' ? <Loader size={14} aria-hidden /> : <ArrowDown size={16} aria-hidden />
          }
          onClick={(event) => {
            event.preventDefault();
            loadMore();
          }}
        >
          {t(state === 'loading' ? 'list.loading' : state === 'failed' ? 'list.retry' : 'list.older')}
        </Button>
      )}
    </div>
  );
}

/** Calls `act` while the element is near the window. */
function useWhenNear(element: React.RefObject<HTMLElement>, act: () => void, active: boolean): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const target = element.current;
    if (!active || target === null || typeof IntersectionObserver === 'undefined') return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) latest.current();
      },
      { rootMargin: '800px 0px' },
    );
    observer.observe(target);
    return () => observer.disconnect();
  }, [element, active]);
}
