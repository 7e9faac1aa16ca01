import { describeError } from '#server/lib/describe-error.ts';
import { keepLeases } from '#server/lib/keep-lease.ts';
import { type DeliveryDeps, type DeliveryOutcome, deliver } from './deliver.ts';
import {
  claimDueDeliveries,
  type DeliveryRow,
  leasedDeliveries,
  nextDeliveryDueAt,
  readTargets,
} from './delivery-queries.ts';

export type DeliveryBatchResult = {
  claimed: number;
  delivered: number;
  retried: number;
  /** Tries used up, endpoint switched off, or account disabled. */
  failed: number;
  /** Another holder had the row when the answer was to be written. */
  lost: number;
  nextDueAt: Date | null;
};

/** Deliveries under way at once in one turn. */
const SLOTS = 32;
/** No claim after this; what was claimed ends by its own limit, within the budget of a call. */
const CLAIM_MS = 6_000;

/**
 * Sends due deliveries and records each try. No connection is held while a receiver is asked, each row ends by itself,
 * and places that become free are filled again until the turn's time is over. A process that dies between sending and
 * recording leaves the row to be sent again under the same `webhook-id`: at least once, never lost.
 */
export async function runDeliveryBatch(
  deps: DeliveryDeps,
  input: { limit: number; workerId: string | null; signal?: AbortSignal },
): Promise<DeliveryBatchResult> {
  const { logger, db } = deps;
  const result: DeliveryBatchResult = {
    claimed: 0,
    delivered: 0,
    retried: 0,
    failed: 0,
    lost: 0,
    nextDueAt: null,
  };
  const signal = input.signal ?? new AbortController().signal;
  const claimUntil = performance.now() + CLAIM_MS;
  const executorId = deps.newId();
  const underWay = new Set<Promise<void>>();

  const claim = async (): Promise<DeliveryRow[]> => {
    const room = Math.min(SLOTS - underWay.size, input.limit - result.claimed);
    if (room <= 0 || signal.aborted || performance.now() >= claimUntil) return [];
    const { leaseSeconds } = deps.config;
    const rows = await claimDueDeliveries(db, { limit: room, leaseSeconds, executorId });
    result.claimed += rows.length;
    return rows;
  };
  const start = async (rows: readonly DeliveryRow[]) => {
    const targets = await readTargets(
      db,
      rows.map((row) => row.endpointId),
    );
    for (const row of rows) {
      const send: Promise<void> = keepLeases(deps, { table: leasedDeliveries, rows: [row] }, () =>
        deliver(deps, { row, target: targets.get(row.endpointId), signal }),
      )
        .catch((error): DeliveryOutcome => {
          // Its lease runs out and it is sent again.
          logger.warn(
            { deliveryId: row.id, error: describeError(error) },
            'A delivery could not be recorded',
          );
          return 'lost';
        })
        .then((outcome) => {
          result[outcome] += 1;
          underWay.delete(send);
        });
      underWay.add(send);
    }
  };

  for (;;) {
    const rows = await claim();
    if (rows.length > 0) await start(rows);
    else if (underWay.size === 0) break;
    else await Promise.race(underWay);
  }
  result.nextDueAt = await nextDeliveryDueAt(db);
  return result;
}
