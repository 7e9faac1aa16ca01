import type { LoaderFunctionArgs } from '@remix-run/node';
import { readLedgerQuery } from '#app/components/money/ledger-query.ts';
import { csvResponse } from '#app/lib/csv.ts';
import { ledgerCsv, OWN_LEDGER } from '#app/lib/ledger-csv.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';

/** The reader's own ledger as a file, under the filters of the credits page. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { cursor: _page, ...filters } = readLedgerQuery(new URL(request.url).searchParams);
  const text = await loadOrThrow(
    request,
    ledgerCsv(OWN_LEDGER, (page) => context.trpc.billing.ledger({ ...filters, ...page })),
  );
  return csvResponse('sidelane-ledger.csv', text);
}
