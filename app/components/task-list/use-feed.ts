import { useFetcher } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { TaskPage } from '#server/generation/schemas.ts';
import { type Feed, startFeed, withNewestPage, withNextPage } from './feed-state.ts';

type FeedHandle = Feed & {
  state: 'idle' | 'loading' | 'failed';
  /** Loads the page after the last task; nothing while one is being loaded or when there is none. */
  loadMore(): void;
  /** Begins again with the newest page. */
  startOver(): void;
};

/** What the resource route of older tasks answers. */
export type FeedReply = { page: TaskPage } | { error: string };

/**
 * A list that begins with the loader's page and grows downwards.
 *
 * @param list address of the list without its cursor; another one is another list
 */
export function useFeed(first: TaskPage, list: string): FeedHandle {
  const [kept, setKept] = useState(() => ({ first, list, feed: startFeed(first) }));
  let current = kept;
  if (kept.list !== list) current = { first, list, feed: startFeed(first) };
  else if (kept.first !== first) current = { first, list, feed: withNewestPage(kept.feed, first) };
  if (current !== kept) setKept(current);

  const { data, state, load } = useFetcher<FeedReply>({ key: `feed ${list}` });
  const taken = useRef<FeedReply | undefined>(undefined);
  useEffect(() => {
    if (data === undefined || data === taken.current) return;
    taken.current = data;
    if ('page' in data) {
      setKept((before) => ({ ...before, feed: withNextPage(before.feed, data.page) }));
    }
  }, [data]);

  const { feed } = current;
  const { nextCursor } = feed;
  const loadMore = useCallback(() => {
    if (nextCursor === null || state !== 'idle') return;
    const query = new URLSearchParams(list);
    query.set('cursor', nextCursor);
    load(`/workbench/feed?${query}`);
  }, [nextCursor, state, load, list]);
  const startOver = useCallback(
    () => setKept((before) => ({ ...before, feed: startFeed(before.first) })),
    [],
  );

  const failed = state === 'idle' && data !== undefined && 'error' in data;
  return { ...feed, state: state !== 'idle' ? 'loading' : failed ? 'failed' : 'idle', loadMore, startOver };
}
