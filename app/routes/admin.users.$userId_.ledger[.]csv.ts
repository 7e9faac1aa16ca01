import type { LoaderFunctionArgs } from '@remix-run/node';
import { readLedgerQuery } from '#app/components/money/ledger-query.ts';
import { csvResponse } from '#app/lib/csv.ts';
import { ADMIN_LEDGER, ledgerCsv } from '#app/lib/ledger-csv.ts';
import { isUuid } from '#app/lib/read-query.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';

/** One person's ledger with actors and keys, under the filters of the page; a last row says when it is cut. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const userId = params.userId ?? '';
  if (!isUuid(userId)) throw new Response('There is no such user.', { status: 404 });
  const { cursor: _page, ...filters } = readLedgerQuery(new URL(request.url).searchParams);
  const text = await loadOrThrow(
    request,
    ledgerCsv(
      ADMIN_LEDGER,
      async (page) => (await context.trpc.adminBilling.userMoney({ userId, ...filters, ...page })).ledger,
    ),
  );
  return csvResponse(`ledger-${userId}.csv`, text);
}
