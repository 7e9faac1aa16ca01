import type { LoaderFunctionArgs } from '@remix-run/node';
import { readAuditQuery } from '#app/components/admin/operations/audit-query.ts';
import { collectPages } from '#app/lib/collect-pages.ts';
import { type CsvColumn, csvResponse, csvText } from '#app/lib/csv.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { AuditEntryView } from '#server/operations/schemas.ts';

/** Beyond it a file is for a database, not for a spreadsheet. */
const MOST_ROWS = 10_000;

/** Of entries, and of the row that says what is not in the file: it has a reason alone. */
const COLUMNS: readonly CsvColumn<Partial<AuditEntryView>>[] = [
  { head: 'id', cell: ({ id }) => id ?? null },
  { head: 'at', cell: ({ at }) => at ?? null },
  { head: 'actor id', cell: ({ actorId }) => actorId ?? null },
  { head: 'actor', cell: ({ actorEmail }) => actorEmail ?? null },
  { head: 'action', cell: ({ action }) => action ?? null },
  { head: 'subject', cell: ({ subject }) => subject ?? null },
  { head: 'subject id', cell: ({ subjectId }) => subjectId ?? null },
  { head: 'reason', cell: ({ reason }) => reason ?? null },
  { head: 'data', cell: ({ data }) => (data == null ? null : JSON.stringify(data)) },
];

/** The audit log under the filters of its page, newest first; a last row says when it is cut. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const { cursor: _page, ...filters } = readAuditQuery(new URL(request.url).searchParams);
  const { rows, cut } = await loadOrThrow(
    request,
    collectPages((cursor) => context.trpc.operations.auditLog({ ...filters, cursor, limit: 100 }), MOST_ROWS),
  );
  const note = {
    reason: `Only the newest ${MOST_ROWS} entries are in this file. Narrow the days for the others.`,
  };
  return csvResponse('audit-log.csv', csvText(COLUMNS, cut ? [...rows, note] : rows));
}
