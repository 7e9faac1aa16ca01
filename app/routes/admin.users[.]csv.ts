import type { LoaderFunctionArgs } from '@remix-run/node';
import { readPeopleQuery } from '#app/lib/admin-money-lists.ts';
import type { CsvColumn } from '#app/lib/csv.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { streamCsv } from '#app/lib/stream-csv.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { UserMoneyRow } from '#server/billing/schemas.ts';
import { MOST_LISTED } from '#server/lib/schemas.ts';

const COLUMNS: readonly CsvColumn<UserMoneyRow>[] = [
  { head: 'id', cell: ({ userId }) => userId },
  { head: 'e-mail', cell: ({ email }) => email },
  { head: 'name', cell: ({ displayName }) => displayName },
  { head: 'disabled', cell: ({ disabled }) => (disabled ? 'yes' : 'no') },
  { head: 'closed', cell: ({ deleted }) => (deleted ? 'yes' : 'no') },
  { head: 'balance', cell: ({ balanceCredits }) => balanceCredits },
  { head: 'held', cell: ({ heldCredits }) => heldCredits },
  { head: 'owed', cell: ({ owedCredits }) => owedCredits },
  { head: 'spent in 30 days', cell: ({ spentCredits }) => spentCredits },
  { head: 'since', cell: ({ createdAt }) => createdAt },
];

/** The filtered list as a file. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const query = readPeopleQuery(request.url);
  return loadOrThrow(
    request,
    streamCsv({
      fileName: 'people.csv',
      columns: COLUMNS,
      readPage: (cursor) => context.trpc.adminBilling.findUsers({ ...query, cursor, limit: MOST_LISTED }),
    }),
  );
}
