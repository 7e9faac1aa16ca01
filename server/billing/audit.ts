import type { Db } from '#server/db/client.ts';
import { findMismatches, type Mismatch } from './audit-queries.ts';

/**
 * Recomputes every balance, hold and refund from the ledger, in one repeatable-read snapshot, so that movements of the
 * moment are no mismatch. An empty list means that the books are right.
 */
export async function auditLedger(db: Db): Promise<Mismatch[]> {
  return db.transaction((tx) => findMismatches(tx), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}
