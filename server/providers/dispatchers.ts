import { Agent, type Dispatcher } from 'undici';
import type { OutboundGuard } from './outbound-guard.ts';

/** How far a single-use connection got. `connected`: a socket was handed to HTTP, so bytes may have left. */
export type ConnectState = 'idle' | 'connecting' | 'connected';

/** Our own time-outs decide; undici's defaults (300 s) would cut a slow synchronous answer that is already paid for. */
const NO_BUILT_IN_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** Keeps connections alive between polls, look-ups and downloads: all of them may be repeated. */
export function createReadAgent(guard: OutboundGuard): Agent {
  return new Agent({ ...NO_BUILT_IN_LIMITS, connect: guard.connector });
}

type SingleUseConnection = {
  dispatcher: Dispatcher;
  state(): ConnectState;
  /** Destroys the connection: nothing can be written after it resolves. */
  destroy(): Promise<void>;
};

/**
 * A fresh connection for one create. It sends one request and refuses a second one, whatever a library above it
 * means to do (fetch repeats a request on a 421 answer); it never reuses a kept-alive socket, whose silent end would look like a lost answer; and
 * it knows whether a socket was ever handed over, which is the proof behind "not sent".
 */
export function createSingleUseConnection(guard: OutboundGuard): SingleUseConnection {
  let state: ConnectState = 'idle';
  let dispatched = false;
  const agent = new Agent({
    ...NO_BUILT_IN_LIMITS,
    connections: 1,
    pipelining: 0,
    connect: (target, callback) => {
      if (state === 'idle') state = 'connecting';
      return guard.connector(target, (...result) => {
        if (result[0] === null) state = 'connected';
        callback(...result);
      });
    },
  });
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    if (dispatched) throw new Error('A create is sent once; the second attempt was stopped.');
    dispatched = true;
    return dispatch(options, handler);
  });
  return { dispatcher, state: () => state, destroy: () => agent.destroy() };
}
