import type { LoaderFunctionArgs } from '@remix-run/node';
import { readInvitesQuery } from '#app/lib/admin-money-lists.ts';
import type { CsvColumn } from '#app/lib/csv.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { streamCsv } from '#app/lib/stream-csv.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { AdminInviteView } from '#server/invites/schemas.ts';
import { MOST_LISTED } from '#server/lib/schemas.ts';

const COLUMNS: readonly CsvColumn<AdminInviteView>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'status', cell: ({ status }) => status },
  { head: 'inviter', cell: ({ inviterEmail }) => inviterEmail },
  { head: 'invited', cell: ({ inviteeEmail }) => inviteeEmail },
  { head: 'order', cell: ({ orderId }) => orderId },
  { head: 'inviter credits', cell: ({ inviterCredits }) => inviterCredits },
  { head: 'invited credits', cell: ({ inviteeCredits }) => inviteeCredits },
  { head: 'made at', cell: ({ createdAt }) => createdAt },
  { head: 'due at', cell: ({ dueAt }) => dueAt },
  { head: 'rewarded at', cell: ({ rewardedAt }) => rewardedAt },
  { head: 'note', cell: ({ note }) => note },
];

/** The filtered list as a file. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const query = readInvitesQuery(request.url);
  return loadOrThrow(
    request,
    streamCsv({
      fileName: 'invites.csv',
      columns: COLUMNS,
      readPage: (cursor) => context.trpc.adminInvites.list({ ...query, cursor, limit: MOST_LISTED }),
    }),
  );
}
