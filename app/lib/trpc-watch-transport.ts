import { browserTrpc } from './browser-trpc.ts';
import type { WatchTransport } from './task-watch-hub.ts';

/** The hub's network in a browser: `generation.watch` over server-sent events, `generation.peek` as the plain way. */
export const trpcWatchTransport: WatchTransport = {
  open(taskIds, handlers) {
    if (typeof EventSource === 'undefined') return null;
    let isClosed = false;
    let unsubscribe = () => {};
    const start = async () => {
      const client = await browserTrpc();
      if (isClosed) return;
      const subscription = client.generation.watch.subscribe(
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
      unsubscribe = () => subscription.unsubscribe();
    };
    // Where the client itself does not come, the hub tries again as after a stream that ended.
    start().catch(() => handlers.onEnd());
    return () => {
      isClosed = true;
      unsubscribe();
    };
  },

  fetch: async (taskIds, signal) => (await browserTrpc()).generation.peek.query({ taskIds }, { signal }),

  isHidden: () => document.visibilityState === 'hidden',
};
