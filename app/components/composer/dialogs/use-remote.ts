import { useCallback, useEffect, useState } from 'react';

type Remote<T> = { value: T | null; failed: boolean };

/**
 * What a request answers; asked again whenever `ask` is another function or `reload` is called. The value before stays
 * until the next one is there.
 */
export function useRemote<T>(ask: (signal: AbortSignal) => Promise<T>) {
  const [remote, setRemote] = useState<Remote<T>>({ value: null, failed: false });
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn is a reason to ask again
  useEffect(() => {
    const abort = new AbortController();
    ask(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setRemote({ value, failed: false });
      },
      () => {
        if (!abort.signal.aborted) setRemote((last) => ({ ...last, failed: true }));
      },
    );
    return () => abort.abort();
  }, [ask, turn]);
  return { ...remote, reload: useCallback(() => setTurn((count) => count + 1), []) };
}
