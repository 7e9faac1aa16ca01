/**
 * In-process news that a row became due, or will be at a known moment. Use cases call `wake` after their commit; the
 * due-watcher listens, serves waiting lanes and tells other web processes.
 */
export type DueSignal = {
  /** `at`: when the row becomes due, if that is later than now (a release with a later `next_poll_at`). */
  wake(at?: Date): void;
  /** Returns the function that unsubscribes. */
  onWake(listener: (at?: Date) => void): () => void;
};

export function createDueSignal(): DueSignal {
  const listeners = new Set<(at?: Date) => void>();
  return {
    wake(at) {
      for (const listener of listeners) listener(at);
    },
    onWake(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
