import type { Db } from '#server/db/client.ts';

const keepers = new WeakMap<Db, ReturnType<typeof createAnswerKeeper>>();

/** The keeper of all counts of one database. */
export function keeperOf(db: Db): ReturnType<typeof createAnswerKeeper> {
  const keeper = keepers.get(db) ?? createAnswerKeeper();
  keepers.set(db, keeper);
  return keeper;
}

/**
 * Remembers the answers of costly counts in this process. Calls that come together share one; a failure is not kept.
 */
function createAnswerKeeper(
  /** Monotonic milliseconds. */
  nowMs: () => number = () => performance.now(),
) {
  const kept = new Map<string, { atMs: number; answer: Promise<unknown> }>();
  /** The answer of `key` if it is younger than `forMs`, else what `ask` answers now. */
  return function keep<T>(key: string, forMs: number, ask: () => Promise<T>): Promise<T> {
    const known = kept.get(key);
    if (known && nowMs() - known.atMs < forMs) return known.answer as Promise<T>;
    const answer = ask();
    const entry = { atMs: nowMs(), answer };
    kept.set(key, entry);
    answer.catch(() => {
      if (kept.get(key) === entry) kept.delete(key);
    });
    return answer;
  };
}
