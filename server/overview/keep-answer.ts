/**
 * Remembers the answers of costly counts in this process. Calls that come together share one; a failure is not kept.
 */
export function createAnswerKeeper(
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
