import type { Db } from '#server/db/client.ts';
import { isDatabaseUnreachable } from '#server/lib/database-fault.ts';
import { type PollSave, savePolls } from './lease-queries.ts';

const MOST_ROWS = 500;

/**
 * Writes the results of polls that changed only progress in bulk: while one statement is under way the next results
 * gather, so the batch grows with the load and a single result waits for nobody.
 */
export function createPollWriter(db: Db): { save(poll: PollSave): Promise<boolean> } {
  type Waiting = { poll: PollSave; resolve(kept: boolean): void; reject(error: unknown): void };
  let waiting: Waiting[] = [];
  let writing = false;

  /** One row that cannot be written must not cost the others their results. */
  async function saveSingly(batch: readonly Waiting[]): Promise<void> {
    for (const item of batch) {
      try {
        item.resolve((await savePolls(db, [item.poll])).has(item.poll.lease.taskId));
      } catch (error) {
        item.reject(error);
      }
    }
  }

  async function drain(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_ROWS);
      waiting = waiting.slice(MOST_ROWS);
      try {
        const kept = await savePolls(
          db,
          batch.map((item) => item.poll),
        );
        for (const item of batch) item.resolve(kept.has(item.poll.lease.taskId));
      } catch (error) {
        if (batch.length === 1 || isDatabaseUnreachable(error)) for (const item of batch) item.reject(error);
        else await saveSingly(batch);
      }
    }
    writing = false;
  }

  return {
    save(poll) {
      return new Promise((resolve, reject) => {
        waiting.push({ poll, resolve, reject });
        // Gather what finishes in the same turn of the event loop.
        if (!writing) {
          writing = true;
          setImmediate(() => void drain());
        }
      });
    },
  };
}
