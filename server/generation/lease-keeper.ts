import type { Db } from '#server/db/client.ts';
import type { Logger } from '#server/lib/logger.ts';
import { renewLeases } from './lease-queries.ts';

export type HeldLease = {
  id: string;
  token: number;
  /** A create call is in flight: its answer is evidence, so losing the lease does not stop it. */
  creating: boolean;
  abort: AbortController;
  /** Monotonic time before the claim or renewal that was last confirmed was sent. */
  confirmedAt: number;
};

/**
 * Renews all leases of this executor in bulk, every quarter of the lease, on a connection outside the pool. A lease
 * that is not confirmed by two thirds of its length on the monotonic clock counts as lost, although the database may
 * still honour it: better to stop early than to work beside a successor.
 */
export function createLeaseKeeper(options: {
  db: Db;
  executorId: string;
  leaseSeconds: number;
  logger: Logger;
}): {
  hold(lease: HeldLease): void;
  release(id: string): void;
  held(): readonly HeldLease[];
  stop(): void;
} {
  const { db, executorId, leaseSeconds, logger } = options;
  const held = new Map<string, HeldLease>();
  const quarterMs = (leaseSeconds * 1000) / 4;
  let renewing = false;

  function lose(lease: HeldLease, why: string): void {
    if (lease.abort.signal.aborted) return;
    logger.warn({ taskId: lease.id, token: lease.token, why, creating: lease.creating }, 'Lease lost');
    lease.abort.abort(new LeaseLostError());
  }

  function loseUnconfirmed(): void {
    const now = performance.now();
    for (const lease of held.values()) {
      if (now - lease.confirmedAt > leaseSeconds * 1000 * (2 / 3)) lose(lease, 'not confirmed in time');
    }
  }

  async function renew(): Promise<void> {
    const now = performance.now();
    if (renewing || held.size === 0) return;
    renewing = true;
    const leases = [...held.values()];
    const gone: HeldLease[] = [];
    try {
      const kept = await renewLeases(db, { executorId, leaseSeconds, leases });
      for (const lease of leases) {
        if (kept.has(lease.id)) lease.confirmedAt = now;
        else gone.push(lease);
      }
    } catch (error) {
      logger.warn({ leases: leases.length, error: String(error) }, 'Leases could not be renewed');
    } finally {
      renewing = false;
    }
    if (gone.length === 0) return;
    // A step that was just ending has released its row itself; give it a moment to leave the list.
    await new Promise((resolve) => setTimeout(resolve, 250));
    for (const lease of gone) if (held.get(lease.id) === lease) lose(lease, 'another claim has it');
  }

  const timer = setInterval(() => void renew(), quarterMs);
  // The watch on the monotonic clock runs although a renewal hangs.
  const watch = setInterval(loseUnconfirmed, quarterMs / 2);
  timer.unref();
  watch.unref();

  return {
    hold: (lease) => void held.set(lease.id, lease),
    release: (id) => void held.delete(id),
    held: () => [...held.values()],
    stop() {
      clearInterval(timer);
      clearInterval(watch);
    },
  };
}

export class LeaseLostError extends Error {
  constructor() {
    super('The lease was lost');
    this.name = 'LeaseLostError';
  }
}
