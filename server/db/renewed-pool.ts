import type postgres from 'postgres';

/** Longer than any statement or transaction may take. */
const RETIRED_MS = 60_000;

/**
 * A pool that is made anew once it has lost a connection. The driver (postgres 3.4.9) leaves the remains of a write in
 * a connection that closes at the wrong moment: its next start is never sent, and whatever is given to it fails with
 * CONNECT_TIMEOUT until the process ends. So after a loss new work gets a new pool; what runs in the old one ends there.
 */
export function renewedPool(open: (onclose: () => void) => postgres.Sql): {
  /** The client: each call goes to the pool of the moment, each transaction stays in the pool it began in. */
  sql: postgres.Sql;
  /** Closes every pool; waits at most 5 s for what runs. */
  close(): Promise<void>;
} {
  const retired = new Map<postgres.Sql, NodeJS.Timeout>();
  let isClosed = false;
  let hasLost = false;
  let pool = make();

  function make(): postgres.Sql {
    const made: postgres.Sql = open(() => {
      if (made === pool) hasLost = true;
    });
    return made;
  }

  function current(): postgres.Sql {
    if (!hasLost || isClosed) return pool;
    const old = pool;
    hasLost = false;
    pool = make();
    const end = () => {
      retired.delete(old);
      old.end({ timeout: 5 }).catch(() => undefined);
    };
    retired.set(old, setTimeout(end, RETIRED_MS).unref());
    return pool;
  }

  return {
    sql: new Proxy(pool, {
      apply: (_target, self, args) => Reflect.apply(current() as never, self, args),
      get: (_target, name) => Reflect.get(current(), name),
    }),
    async close() {
      isClosed = true;
      for (const timer of retired.values()) clearTimeout(timer);
      await Promise.all([pool, ...retired.keys()].map((each) => each.end({ timeout: 5 })));
    },
  };
}
