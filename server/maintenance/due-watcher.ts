import type { DbHandle } from '#server/db/client.ts';
import type { DueSignal } from '#server/lib/due-signal.ts';
import type { Logger } from '#server/lib/logger.ts';
import { type DueChannel, openDueChannel } from './due-channel-queries.ts';

/** More waiting calls than this are answered at once. */
export const MAX_WAITERS = 64;
/** Signals closer together than this are a burst: whoever still waits at its end is woken too. */
const BURST_MS = 250;
/** How often one waiter is woken to ask while nothing can tell us (no LISTEN). */
const ASK_EVERY_MS = 1_000;
/** Timers may fire a little early, and the row is due by the database's clock, not by ours. */
const TIMER_MARGIN_MS = 2;
const LONGEST_TIMER_MS = 60_000;

/** Why a wait ended. Only after `woken` is there a reason to look for rows again. */
export type WaitEnd = 'woken' | 'timeout' | 'aborted' | 'full' | 'closed';

/** Serves waiting lanes of one web process; see {@link createDueWatcher}. */
export type DueWatcher = {
  /** Grows with every piece of news. Read it before looking for rows and pass it to `wait` as `since`. */
  sequence(): number;
  /**
   * Resolves when some row may have become due, after `waitMs`, when the signal aborts, or at once when too many wait
   * or when there was news after `since`. Holds no database connection.
   */
  wait(options: {
    waitMs: number;
    nextDueAt: Date | null;
    since?: number;
    signal?: AbortSignal;
  }): Promise<WaitEnd>;
  /** Answers every waiter and stops listening. */
  close(): Promise<void>;
};

export type DueWatcherOptions = {
  sql: DbHandle['sql'];
  /** Behind a transaction-mode pooler there is no LISTEN: one waiter asks every second instead. */
  pooled: boolean;
  due: DueSignal;
  logger: Logger;
};

type Waiter = { dueAt: number; finish(end: WaitEnd): void };

/**
 * One per web process. A row that becomes due wakes one waiting lane: by the timer to the earliest known moment, by
 * {@link DueSignal} in this process, or by a notification of another one. The longest waiting lane is woken first;
 * when more signals follow within 250 ms, all are.
 */
export function createDueWatcher({ sql, pooled, due, logger }: DueWatcherOptions): DueWatcher {
  /** In order of arrival. */
  const waiters = new Set<Waiter>();
  let sequence = 0;
  let closed = false;
  let listening = false;
  /** Earliest moment that a commit in this process announced. */
  let announcedAt = Number.POSITIVE_INFINITY;
  let dueTimer: NodeJS.Timeout | undefined;
  let lastSignal = Number.NEGATIVE_INFINITY;
  let lastForeign = Number.NEGATIVE_INFINITY;
  let burstTimer: NodeJS.Timeout | undefined;

  function wakeOne(): boolean {
    const first = waiters.values().next().value;
    first?.finish('woken');
    return first !== undefined;
  }

  function wakeAll(): void {
    for (const waiter of [...waiters]) waiter.finish('woken');
  }

  /** A row is due now, by a commit of this process. */
  function onDueHere(): void {
    sequence += 1;
    const now = performance.now();
    if (now - lastSignal < BURST_MS && !burstTimer) {
      burstTimer = setTimeout(() => {
        burstTimer = undefined;
        wakeAll();
      }, BURST_MS);
      burstTimer.unref();
    }
    lastSignal = now;
    wakeOne();
    channel?.notify();
  }

  /** Another process notified; it does so at most every 250 ms, so a second one soon after stands for many rows. */
  function onDueElsewhere(): void {
    sequence += 1;
    const now = performance.now();
    const burst = now - lastForeign < 2 * BURST_MS;
    lastForeign = now;
    if (burst) wakeAll();
    else wakeOne();
  }

  function earliestDue(): number {
    let earliest = announcedAt;
    for (const waiter of waiters) earliest = Math.min(earliest, waiter.dueAt);
    return earliest;
  }

  function armDueTimer(): void {
    clearTimeout(dueTimer);
    dueTimer = undefined;
    const earliest = earliestDue();
    if (closed || earliest === Number.POSITIVE_INFINITY) return;
    const delay = Math.max(earliest - Date.now() + TIMER_MARGIN_MS, 0);
    dueTimer = setTimeout(onDueTimer, Math.min(delay, LONGEST_TIMER_MS));
    dueTimer.unref();
  }

  function onDueTimer(): void {
    const now = Date.now();
    if (earliestDue() <= now) {
      const announced = announcedAt <= now;
      if (announced) announcedAt = Number.POSITIVE_INFINITY;
      sequence += 1;
      if (!wakeOne() && announced) channel?.notify();
      // Lanes that knew the same moment follow one per 250 ms, in case the one just woken does not come through.
      for (const waiter of waiters) if (waiter.dueAt <= now) waiter.dueAt = now + BURST_MS;
    }
    armDueTimer();
  }

  const unsubscribe = due.onWake((at) => {
    if (closed) return;
    if (at === undefined || at.getTime() <= Date.now()) return onDueHere();
    if (at.getTime() < announcedAt) {
      announcedAt = at.getTime();
      armDueTimer();
    }
  });

  const channel: DueChannel | undefined = pooled
    ? undefined
    : openDueChannel({
        sql,
        logger,
        onNotified: onDueElsewhere,
        onListening() {
          listening = true;
          sequence += 1;
          wakeAll();
        },
      });

  const asking = setInterval(() => {
    if (!listening) wakeOne();
  }, ASK_EVERY_MS);
  asking.unref();

  return {
    sequence: () => sequence,

    wait({ waitMs, nextDueAt, since, signal }) {
      if (closed) return Promise.resolve('closed');
      if (signal?.aborted) return Promise.resolve('aborted');
      if (since !== undefined && since !== sequence) return Promise.resolve('woken');
      if (waitMs <= 0) return Promise.resolve('timeout');
      if (waiters.size >= MAX_WAITERS) return Promise.resolve('full');
      return new Promise((resolve) => {
        const waiter: Waiter = {
          dueAt: nextDueAt?.getTime() ?? Number.POSITIVE_INFINITY,
          finish(end) {
            if (!waiters.delete(waiter)) return;
            clearTimeout(timeout);
            signal?.removeEventListener('abort', onAbort);
            resolve(end);
          },
        };
        const timeout = setTimeout(() => waiter.finish('timeout'), waitMs);
        const onAbort = () => waiter.finish('aborted');
        signal?.addEventListener('abort', onAbort, { once: true });
        waiters.add(waiter);
        armDueTimer();
      });
    },

    async close() {
      if (closed) return;
      closed = true;
      unsubscribe();
      clearInterval(asking);
      clearTimeout(dueTimer);
      clearTimeout(burstTimer);
      for (const waiter of [...waiters]) waiter.finish('closed');
      await channel?.close();
    },
  };
}
