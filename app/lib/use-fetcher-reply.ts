import { useEffect, useRef, useState } from 'react';

type FetcherLike<T> = { state: 'idle' | 'loading' | 'submitting'; data: T | undefined };

/**
 * What the last submit of a fetcher was answered, where a success answers by a redirect and a failure by data. A
 * fetcher keeps the data of an earlier failure through a later success; this does not. `onEnd` runs once per submit,
 * with undefined for a success.
 */
export function useFetcherReply<T extends object>(
  fetcher: FetcherLike<T>,
  onEnd: (reply: T | undefined) => void,
): T | undefined {
  const [spent, setSpent] = useState<T | undefined>(undefined);
  const before = useRef({ state: fetcher.state, dataAtStart: fetcher.data });

  useEffect(() => {
    const last = before.current;
    if (last.state === 'idle' && fetcher.state !== 'idle') last.dataAtStart = fetcher.data;
    if (last.state !== 'idle' && fetcher.state === 'idle') {
      const reply = fetcher.data === last.dataAtStart ? undefined : fetcher.data;
      if (reply === undefined) setSpent(fetcher.data);
      onEnd(reply);
    }
    last.state = fetcher.state;
  }, [fetcher.state, fetcher.data, onEnd]);

  return fetcher.data === spent ? undefined : fetcher.data;
}
