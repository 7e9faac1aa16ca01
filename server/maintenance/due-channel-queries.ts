import postgres from 'postgres';
import type { DbHandle } from '#server/db/client.ts';
import type { Logger } from '#server/lib/logger.ts';

/** PostgreSQL channel on which web processes tell each other that a row became due. The payload is empty. */
export const DUE_CHANNEL = 'sidelane_due';
/** The first notification goes out at once, later ones at most once per this long; the last is never dropped. */
export const NOTIFY_EVERY_MS = 250;
/** An echo of our own notification that is older than this was lost with its connection. */
const ECHO_TTL_MS = 1_000;

export type DueChannel = {
  /** Tells the other web processes; throttled, never throws. */
  notify(): void;
  close(): Promise<void>;
};

export type DueChannelOptions = {
  /** Any pool of the database; the channel opens two connections of its own with the same settings. */
  sql: DbHandle['sql'];
  logger: Logger;
  /** Another process has told us of a due row. Our own notifications are not reported. */
  onNotified: () => void;
  /** LISTEN is active: for the first time, or again after the connection was lost (news may have been missed). */
  onListening: () => void;
};

/**
 * LISTEN and NOTIFY on connections of their own: notifications never wait for a pool connection and never belong to
 * a transaction of ours. The driver listens again by itself whenever the connection comes back.
 */
export function openDueChannel({ sql, logger, onNotified, onListening }: DueChannelOptions): DueChannel {
  const own = openLike(sql);
  const echoes: number[] = [];
  let throttle: NodeJS.Timeout | undefined;
  let sending = false;
  let pending = false;
  let closed = false;
  let sendFailed = false;

  own
    .listen(
      DUE_CHANNEL,
      () => {
        // Notifications carry nothing, so when one is our own, any of those that arrive may stand for it.
        while (echoes[0] !== undefined && performance.now() - echoes[0] > ECHO_TTL_MS) echoes.shift();
        if (echoes.shift() === undefined && !closed) onNotified();
      },
      () => {
        echoes.length = 0;
        if (!closed) onListening();
      },
    )
    .catch((error: unknown) => {
      if (!closed)
        logger.warn({ reason: reasonOf(error) }, 'LISTEN failed; asking every second until it works');
    });

  async function send(): Promise<void> {
    sending = true;
    echoes.push(performance.now());
    try {
      await own.notify(DUE_CHANNEL, '');
      sendFailed = false;
    } catch (error) {
      echoes.pop();
      if (!closed && !sendFailed)
        logger.warn({ reason: reasonOf(error) }, 'NOTIFY failed; other web processes ask on their own');
      sendFailed = true;
    } finally {
      sending = false;
      flush();
    }
  }

  function flush(): void {
    if (!pending || sending || throttle || closed) return;
    pending = false;
    throttle = setTimeout(() => {
      throttle = undefined;
      flush();
    }, NOTIFY_EVERY_MS);
    throttle.unref();
    void send();
  }

  return {
    notify() {
      pending = true;
      flush();
    },
    async close() {
      closed = true;
      clearTimeout(throttle);
      await own.end({ timeout: 1 });
    },
  };
}

/** A driver with the parsed settings of another one, with one connection and quick reconnects. */
function openLike(sql: DbHandle['sql']): postgres.Sql {
  const options = {
    ...sql.options,
    max: 1,
    idle_timeout: null,
    max_lifetime: null,
    onclose: undefined,
    fetch_types: false,
    backoff: () => 0.25 + Math.random() / 2,
  };
  // The driver takes its own parsed options back as they are (it does so itself to LISTEN); its typings do not say so.
  return postgres(options as unknown as postgres.Options<Record<string, never>>) as unknown as postgres.Sql;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = (error as Error & { code?: unknown }).code;
  return typeof code === 'string' ? code : error.name;
}
