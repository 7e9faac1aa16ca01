import { useFetcher } from '@remix-run/react';
import { useCallback } from 'react';
import { useFetcherReply } from '#app/lib/use-fetcher-reply.ts';
import { useRefresh } from '#app/lib/use-refresh.ts';
import type { WayOn } from '#app/lib/way-on.ts';
import type { DramaAnswer } from './drama-answer.ts';

/**
 * A form of a drama's page. A refusal means that the page is not up to date (a price, a phase), so its data is loaded
 * again; nothing else would, because Remix leaves loaders alone after a refused action.
 *
 * @param onConflict runs when a request key belongs to another request, whose answer was lost
 */
export function useDramaFetcher(key: string, onConflict?: () => void) {
  const fetcher = useFetcher<DramaAnswer | WayOn>({ key });
  const refresh = useRefresh();
  const onEnd = useCallback(
    (answer: DramaAnswer | undefined) => {
      if (answer?.error) refresh();
      if (answer?.conflict) onConflict?.();
    },
    [refresh, onConflict],
  );
  const reply = useFetcherReply(fetcher, onEnd);
  const isBusy = fetcher.state !== 'idle';
  return {
    Form: fetcher.Form,
    isBusy,
    /** Which button was pressed; null while none is. */
    pressed: isBusy ? (fetcher.formData?.get('intent') ?? null) : null,
    /** Changes with every answer. */
    reply,
    error: isBusy ? undefined : reply?.error,
  };
}
