import { useLocation, useNavigate } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useRefresh } from './use-refresh.ts';
import { isWayOn, type WayOn } from './way-on.ts';

type FetcherLike<T> = { state: 'idle' | 'loading' | 'submitting'; data: T | WayOn | undefined };

/**
 * What the last submit of a fetcher was answered, where a success leads on and a failure stays: undefined after a
 * success, which is followed to its page. A reader who has gone elsewhere meanwhile is left there, with fresh data.
 *
 * @param onEnd runs once per submit, with undefined for a success; `leaves` tells that another page comes next
 */
export function useFetcherReply<T extends object>(
  fetcher: FetcherLike<T>,
  onEnd: (reply: T | undefined, leaves: boolean) => void,
): T | undefined {
  const location = useLocation();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const before = useRef<{ state: string; sentFrom: string | null }>({ state: fetcher.state, sentFrom: null });
  const { state, data } = fetcher;

  useEffect(() => {
    const { state: last, sentFrom } = before.current;
    before.current.state = state;
    if (last === 'idle' && state !== 'idle') before.current.sentFrom = location.key;
    if (last === 'idle' || state !== 'idle' || data === undefined) return;
    if (!isWayOn(data)) {
      onEnd(data, false);
      return;
    }
    const here = `${location.pathname}${location.search}`;
    const stayed = sentFrom === location.key;
    const follows = stayed && data.wayOn !== here;
    const samePage = new URL(data.wayOn, window.location.href).pathname === location.pathname;
    onEnd(undefined, follows && !samePage);
    if (follows) navigate(data.wayOn, { preventScrollReset: samePage });
    else if (!stayed) refresh();
  }, [state, data, onEnd, location, navigate, refresh]);

  return data === undefined || isWayOn(data) ? undefined : data;
}
