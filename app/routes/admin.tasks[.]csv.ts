import type { LoaderFunctionArgs } from '@remix-run/node';
import { readTaskQuery } from '#app/lib/admin-task-list.ts';
import type { CsvColumn } from '#app/lib/csv.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { streamCsv } from '#app/lib/stream-csv.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { AdminTaskView } from '#server/generation/schemas.ts';
import { MOST_LISTED } from '#server/lib/schemas.ts';

const COLUMNS: readonly CsvColumn<AdminTaskView>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'user', cell: ({ userEmail }) => userEmail },
  { head: 'kind', cell: ({ kind }) => kind },
  { head: 'status', cell: ({ status }) => status },
  { head: 'model', cell: ({ model }) => model.slug },
  { head: 'prompt', cell: ({ prompt }) => prompt },
  { head: 'submitted at', cell: ({ submittedAt }) => submittedAt },
  { head: 'finished at', cell: ({ finishedAt }) => finishedAt },
  { head: 'due at', cell: ({ nextDueAt }) => nextDueAt },
  { head: 'held credits', cell: ({ money }) => money.heldCredits },
  { head: 'charged credits', cell: ({ money }) => money.chargedCredits },
  { head: 'money', cell: ({ money }) => money.state },
  { head: 'outputs', cell: ({ outputs }) => outputs.length },
  { head: 'failure', cell: ({ failure }) => failure?.code ?? null },
  { head: 'errors', cell: ({ errorCount }) => errorCount },
  { head: 'parent task', cell: ({ parentId }) => parentId },
];

/** The filtered list as a file. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const query = readTaskQuery(request.url);
  return loadOrThrow(
    request,
    streamCsv({
      fileName: 'tasks.csv',
      columns: COLUMNS,
      readPage: (cursor) => context.trpc.adminTasks.list({ ...query, cursor, limit: MOST_LISTED }),
    }),
  );
}
