import type { WatchTransport } from './task-watch-hub.ts';
import { trpcClient } from './trpc-client.ts';

/** The hub's network in a browser: `generation.watch` over server-sent events, `generation.peek` as the plain way. */
export const trpcWatchTransport: WatchTransport = {
  open(taskIds, handlers) {
    if (typeof EventSource === 'undefined') return null;
    const subscription = trpcClient().generation.watch.subscribe(
      { taskIds },
      {
        onData: (message) => handlers.onMessage(message),
        onConnectionStateChange: (state) => {
          if (state.state === 'pending') handlers.onOpen();
          else if (state.state === 'connecting' && state.error) handlers.onBroken();
        },
        onError: () => handlers.onEnd(),
        onComplete: () => handlers.onEnd(),
      },
    );
    return () => subscription.unsubscribe();
  },

  fetch: (taskIds, signal) => trpcClient().generation.peek.query({ taskIds }, { signal }),

  isHidden: () => document.visibilityState === 'hidden',
};
