import type { DbOrTx } from '#server/db/client.ts';
import { auditLog } from '#server/db/schema/audit-log.ts';

export async function insertAuditEntry(db: DbOrTx, values: typeof auditLog.$inferInsert): Promise<void> {
  await db.insert(auditLog).values(values);
}
