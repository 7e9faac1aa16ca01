import type { Db } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { CHECK_NAMES, findMismatches, type Mismatch } from './audit-queries.ts';
import type { AuditView } from './schemas.ts';

/**
 * Recomputes every balance, hold, order and refund from the ledger, in one repeatable-read snapshot, so that movements
 * of the moment are no mismatch. An empty list means that the books are right.
 */
export async function auditLedger(db: Db): Promise<Mismatch[]> {
  return db.transaction((tx) => findMismatches(tx), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

/** The audit with the names of what was looked at. */
export async function readAudit(deps: Pick<Deps, 'db' | 'clock'>): Promise<AuditView> {
  const checkedAt = deps.clock.now();
  return { checkedAt, checks: CHECK_NAMES, mismatches: await auditLedger(deps.db) };
}
