import type { Deps } from '#server/deps.ts';
import { listAuditEntries } from './audit-queries.ts';
import type { AuditEntryView, AuditLogInput } from './schemas.ts';

/** What administrators did, under filters, page by page. */
export async function readAuditLog(
  deps: Pick<Deps, 'db'>,
  input: AuditLogInput,
): Promise<{ items: AuditEntryView[]; nextCursor: string | null }> {
  const rows = await listAuditEntries(deps.db, { ...input, limit: input.limit + 1 });
  const items = rows.slice(0, input.limit);
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.id ?? null) : null };
}
