import type { LoaderFunctionArgs } from '@remix-run/node';
import { readRefundsQuery } from '#app/lib/admin-money-lists.ts';
import type { CsvColumn } from '#app/lib/csv.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { streamCsv } from '#app/lib/stream-csv.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { TaskRefundView } from '#server/billing/schemas.ts';
import { MOST_LISTED } from '#server/lib/schemas.ts';

const COLUMNS: readonly CsvColumn<TaskRefundView>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'task', cell: ({ taskId }) => taskId },
  { head: 'user', cell: ({ userEmail }) => userEmail },
  { head: 'credits', cell: ({ amountCredits }) => amountCredits },
  { head: 'status', cell: ({ status }) => status },
  { head: 'reason', cell: ({ reason }) => reason },
  { head: 'tries', cell: ({ attempts }) => attempts },
  { head: 'last error', cell: ({ lastError }) => lastError },
  { head: 'made at', cell: ({ createdAt }) => createdAt },
  { head: 'settled at', cell: ({ settledAt }) => settledAt },
  { head: 'resolution', cell: ({ resolution }) => resolution },
];

/** The filtered list as a file. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const query = readRefundsQuery(request.url);
  return loadOrThrow(
    request,
    streamCsv({
      fileName: 'refunds.csv',
      columns: COLUMNS,
      readPage: (cursor) => context.trpc.adminBilling.refunds({ ...query, cursor, limit: MOST_LISTED }),
    }),
  );
}
