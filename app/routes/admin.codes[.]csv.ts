import type { LoaderFunctionArgs } from '@remix-run/node';
import { readBatchesQuery } from '#app/lib/admin-money-lists.ts';
import type { CsvColumn } from '#app/lib/csv.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { streamCsv } from '#app/lib/stream-csv.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { BatchView } from '#server/billing/redeem/schemas.ts';
import { MOST_LISTED } from '#server/lib/schemas.ts';

const COLUMNS: readonly CsvColumn<BatchView>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'title', cell: ({ title }) => title },
  { head: 'state', cell: ({ state }) => state },
  { head: 'credits per code', cell: ({ credits }) => credits },
  { head: 'codes', cell: ({ codeCount }) => codeCount },
  { head: 'redeemed', cell: ({ redeemedCount }) => redeemedCount },
  { head: 'made at', cell: ({ createdAt }) => createdAt },
  { head: 'taken until', cell: ({ expiresAt }) => expiresAt },
  { head: 'revoked at', cell: ({ revokedAt }) => revokedAt },
];

/** The filtered list as a file. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const query = readBatchesQuery(request.url);
  return loadOrThrow(
    request,
    streamCsv({
      fileName: 'code-batches.csv',
      columns: COLUMNS,
      readPage: (cursor) => context.trpc.adminRedeem.list({ ...query, cursor, limit: MOST_LISTED }),
    }),
  );
}
