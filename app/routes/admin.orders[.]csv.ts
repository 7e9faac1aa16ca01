import type { LoaderFunctionArgs } from '@remix-run/node';
import { readOrdersQuery } from '#app/lib/admin-money-lists.ts';
import type { CsvColumn } from '#app/lib/csv.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { streamCsv } from '#app/lib/stream-csv.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { MOST_LISTED } from '#server/lib/schemas.ts';
import type { AdminOrderRow } from '#server/orders/schemas.ts';

const COLUMNS: readonly CsvColumn<AdminOrderRow>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'user', cell: ({ userEmail }) => userEmail },
  { head: 'title', cell: ({ title }) => title },
  { head: 'credits', cell: ({ credits }) => credits },
  { head: 'amount (minor units)', cell: ({ amountMinor }) => amountMinor },
  { head: 'currency', cell: ({ currency }) => currency },
  { head: 'status', cell: ({ status }) => status },
  { head: 'dispute', cell: ({ dispute }) => dispute },
  { head: 'provider', cell: ({ provider }) => provider },
  { head: 'made at', cell: ({ createdAt }) => createdAt },
  { head: 'paid at', cell: ({ paidAt }) => paidAt },
  { head: 'ended at', cell: ({ endedAt }) => endedAt },
  { head: 'paid back (minor units)', cell: ({ refundedMinor }) => refundedMinor },
  { head: 'credits taken back', cell: ({ clawedBackCredits }) => clawedBackCredits },
];

/** The filtered list as a file. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const query = readOrdersQuery(request.url);
  return loadOrThrow(
    request,
    streamCsv({
      fileName: 'orders.csv',
      columns: COLUMNS,
      readPage: (cursor) => context.trpc.adminOrders.list({ ...query, cursor, limit: MOST_LISTED }),
    }),
  );
}
