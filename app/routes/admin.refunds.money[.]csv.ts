import type { LoaderFunctionArgs } from '@remix-run/node';
import { readMoneyRefundsQuery } from '#app/lib/admin-money-lists.ts';
import type { CsvColumn } from '#app/lib/csv.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { streamCsv } from '#app/lib/stream-csv.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { MOST_LISTED } from '#server/lib/schemas.ts';
import type { PaymentRefundView } from '#server/orders/schemas.ts';

const COLUMNS: readonly CsvColumn<PaymentRefundView>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'order', cell: ({ orderId }) => orderId },
  { head: 'user', cell: ({ userEmail }) => userEmail },
  { head: 'amount (minor units)', cell: ({ amountMinor }) => amountMinor },
  { head: 'currency', cell: ({ currency }) => currency },
  { head: 'origin', cell: ({ origin }) => origin },
  { head: 'status', cell: ({ status }) => status },
  { head: 'reason', cell: ({ reason }) => reason },
  { head: 'tries', cell: ({ attempts }) => attempts },
  { head: 'last error', cell: ({ lastError }) => lastError },
  { head: 'credits taken back', cell: ({ clawedBackCredits }) => clawedBackCredits },
  { head: 'made at', cell: ({ createdAt }) => createdAt },
  { head: 'settled at', cell: ({ settledAt }) => settledAt },
  { head: 'resolution', cell: ({ resolution }) => resolution },
];

/** The filtered list as a file. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const query = readMoneyRefundsQuery(request.url);
  return loadOrThrow(
    request,
    streamCsv({
      fileName: 'money-refunds.csv',
      columns: COLUMNS,
      readPage: (cursor) => context.trpc.adminOrders.refunds({ ...query, cursor, limit: MOST_LISTED }),
    }),
  );
}
