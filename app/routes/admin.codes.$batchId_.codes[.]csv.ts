import type { LoaderFunctionArgs } from '@remix-run/node';
import { collectPages } from '#app/lib/collect-pages.ts';
import { type CsvColumn, csvResponse, csvText } from '#app/lib/csv.ts';
import { isUuid } from '#app/lib/read-query.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { CodeView } from '#server/billing/redeem/schemas.ts';

const PAGE_ROWS = 1_000;
/** The most that a batch has. */
const MAX_ROWS = 10_000;

const COLUMNS: readonly CsvColumn<CodeView>[] = [
  { head: 'code', cell: ({ code }) => code },
  { head: 'redeemed at', cell: ({ redeemedAt }) => redeemedAt },
  { head: 'redeemed by', cell: ({ redeemedByEmail }) => redeemedByEmail },
];

/** Every code of a batch, to hand out. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const batchId = params.batchId ?? '';
  if (!isUuid(batchId)) throw new Response('There is no such batch.', { status: 404 });
  const { rows } = await loadOrThrow(
    request,
    collectPages((cursor) => context.trpc.adminRedeem.codes({ batchId, cursor, limit: PAGE_ROWS }), MAX_ROWS),
  );
  return csvResponse(`codes-${batchId}.csv`, csvText(COLUMNS, rows));
}
