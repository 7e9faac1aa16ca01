import type { TaskView, WatchMessage } from '#server/generation/schemas.ts';

export type WatchHandlers = {
  onMessage(message: WatchMessage): void;
  /** The stream is up. */
  onOpen(): void;
  /** The stream broke and is being opened again by the transport itself. */
  onBroken(): void;
  /** The stream is over, by an error or by the server; nobody opens it again but the hub. */
  onEnd(): void;
};

/** What the hub needs of the network; `trpc-watch-transport.ts` has the real one. */
export type WatchTransport = {
  /** Opens one stream for these tasks and returns what closes it; null where the browser has no streams. */
  open(taskIds: string[], handlers: WatchHandlers): (() => void) | null;
  /** The tasks' present states, by plain requests. */
  fetch(taskIds: string[], signal: AbortSignal): Promise<TaskView[]>;
  /** True while nobody sees the page: polling slows down. */
  isHidden(): boolean;
};

/** `live`: a stream is open. `polling`: it is not, and the tasks are asked for every few seconds. */
export type WatchState = 'idle' | 'connecting' | 'live' | 'polling';

export type TaskWatchHub = {
  /** Watches these tasks until the returned function is called. */
  watch(taskIds: readonly string[]): () => void;
  /** Newest known state of a task, if the hub has heard of it. */
  get(taskId: string): TaskView | undefined;
  /** Grows with each change of {@link get} or {@link state}. */
  revision(): number;
  state(): WatchState;
  subscribe(listener: () => void): () => void;
  /** Somebody looks at the page again: while polling, ask now. */
  wake(): void;
};

/** Most ids that `generation.watch` takes. */
const MAX_WATCHED = 100;
/** States kept after their watchers are gone, so that a card never falls back to an older state. */
const MAX_REMEMBERED = 500;
/** How long a new stream may take to open before polling starts beside it. */
export const OPEN_PATIENCE_MS = 4_000;
export const POLL_FIRST_MS = 2_000;
export const POLL_CAP_MS = 15_000;
const POLL_GROWTH = 1.5;
const HIDDEN_FACTOR = 4;
export const REOPEN_FIRST_MS = 2_000;
const REOPEN_CAP_MS = 60_000;

type Stream = { ids: ReadonlySet<string>; close: () => void };

/**
 * One per tab: however many components watch however many tasks, at most one stream is open. The stream carries states,
 * not deltas; a state is taken only when its version is higher than the known one, so neither a late poll nor a
 * reconnect can turn a card back. When the stream breaks, ends or does not exist, plain requests take over until it is
 * back.
 */
export function createTaskWatchHub(transport: WatchTransport): TaskWatchHub {
  const registrations = new Map<symbol, readonly string[]>();
  const known = new Map<string, TaskView>();
  const listeners = new Set<() => void>();
  let revision = 0;
  let state: WatchState = 'idle';
  let stream: Stream | null = null;
  let reconcileTimer: ReturnType<typeof setTimeout> | undefined;
  let reopenTimer: ReturnType<typeof setTimeout> | undefined;
  let patienceTimer: ReturnType<typeof setTimeout> | undefined;
  let reopenDelay = REOPEN_FIRST_MS;

  const changed = () => {
    revision += 1;
    for (const listener of listeners) listener();
  };
  const setState = (next: WatchState) => {
    if (state === next) return;
    state = next;
    changed();
  };
  const wanted = () => [...new Set([...registrations.values()].flat())].sort().slice(-MAX_WATCHED);

  /** Takes higher versions only; true when something was new. */
  const merge = (tasks: readonly TaskView[]): boolean => {
    let news = false;
    for (const task of tasks) {
      const before = known.get(task.id);
      if (before && before.version >= task.version) continue;
      known.delete(task.id);
      known.set(task.id, task);
      news = true;
    }
    for (const id of known.keys()) {
      if (known.size <= MAX_REMEMBERED) break;
      known.delete(id);
    }
    if (news) changed();
    return news;
  };

  const poller = createPoller(transport, wanted, merge);

  const closeStream = () => {
    clearTimeout(patienceTimer);
    clearTimeout(reopenTimer);
    const closing = stream;
    stream = null;
    closing?.close();
  };

  const startPolling = () => {
    setState('polling');
    poller.start();
  };

  const openStream = (ids: readonly string[]) => {
    closeStream();
    const opening: Stream = { ids: new Set(ids), close: () => {} };
    // Answers of a stream that was closed meanwhile must not move the state of its successor.
    const ifCurrent = (act: () => void) => () => {
      if (stream === opening) act();
    };
    stream = opening;
    const close = transport.open([...ids], {
      onMessage: (message) => {
        if (stream === opening) merge(message.tasks);
      },
      onOpen: ifCurrent(() => {
        clearTimeout(patienceTimer);
        poller.stop();
        reopenDelay = REOPEN_FIRST_MS;
        setState('live');
      }),
      onBroken: ifCurrent(startPolling),
      onEnd: ifCurrent(() => {
        closeStream();
        startPolling();
        reopenLater();
      }),
    });
    if (close === null) {
      stream = null;
      startPolling();
      return;
    }
    opening.close = close;
    if (stream !== opening) {
      close();
      return;
    }
    if (state === 'idle') setState('connecting');
    patienceTimer = setTimeout(ifCurrent(startPolling), OPEN_PATIENCE_MS);
  };

  const reopenLater = () => {
    clearTimeout(reopenTimer);
    reopenTimer = setTimeout(() => {
      const ids = wanted();
      if (ids.length > 0) openStream(ids);
    }, reopenDelay);
    reopenDelay = Math.min(reopenDelay * 2, REOPEN_CAP_MS);
  };

  /** A stream is opened anew when it lacks a task; one that merely carries ended ones is left alone. */
  const reconcile = () => {
    const ids = wanted();
    if (ids.length === 0) {
      closeStream();
      poller.stop();
      setState('idle');
      return;
    }
    const open = stream;
    if (open !== null && ids.every((id) => open.ids.has(id))) return;
    openStream(ids);
  };

  /** Put off to the next turn: components that leave and components that come in one render cost one stream. */
  const reconcileSoon = () => {
    clearTimeout(reconcileTimer);
    reconcileTimer = setTimeout(reconcile, 0);
  };

  return {
    watch(taskIds) {
      const key = Symbol('watch');
      registrations.set(key, taskIds);
      reconcileSoon();
      return () => {
        registrations.delete(key);
        reconcileSoon();
      };
    },
    get: (taskId) => known.get(taskId),
    revision: () => revision,
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    wake() {
      poller.wake();
    },
  };
}

/**
 * Asks for the wanted tasks every few seconds: 2 s after a change, growing to 15 s while nothing changes or the server
 * does not answer, four times slower while the page is hidden.
 */
function createPoller(
  transport: WatchTransport,
  wanted: () => string[],
  merge: (tasks: readonly TaskView[]) => boolean,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delay = POLL_FIRST_MS;
  let abort: AbortController | null = null;

  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, transport.isHidden() ? delay * HIDDEN_FACTOR : delay);
  };

  const ask = async () => {
    clearTimeout(timer);
    const mine = new AbortController();
    abort?.abort();
    abort = mine;
    let news = false;
    try {
      const tasks = await transport.fetch(wanted(), mine.signal);
      if (abort !== mine) return;
      news = merge(tasks);
    } catch {
      // The next turn asks again, later; the page goes on showing what it knows.
    }
    if (abort !== mine) return;
    delay = news ? POLL_FIRST_MS : Math.min(delay * POLL_GROWTH, POLL_CAP_MS);
    schedule();
  };

  return {
    start() {
      if (abort !== null) return;
      abort = new AbortController();
      delay = POLL_FIRST_MS;
      schedule();
    },
    stop() {
      clearTimeout(timer);
      abort?.abort();
      abort = null;
    },
    wake() {
      if (abort === null) return;
      delay = POLL_FIRST_MS;
      void ask();
    },
  };
}
