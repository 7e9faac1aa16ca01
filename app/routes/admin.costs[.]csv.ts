import type { LoaderFunctionArgs } from '@remix-run/node';
import { toAmountText } from '#app/components/admin/cost/format-micros.ts';
import { type CsvColumn, csvResponse, csvText } from '#app/lib/csv.ts';
import { readChoice } from '#app/lib/read-query.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { CostDay, CostSum } from '#server/overview/schemas.ts';

/** A day in one currency; a day without any has one row. */
type Row = { day: CostDay; sum: CostSum | null };

const COLUMNS: readonly CsvColumn<Row>[] = [
  { head: 'day', cell: ({ day }) => day.from.toISOString().slice(0, 10) },
  { head: 'charged credits', cell: ({ day }) => day.chargedCredits },
  { head: 'currency', cell: ({ sum }) => sum?.currency ?? null },
  { head: 'known cost', cell: ({ sum }) => (sum ? toAmountText(sum.micros) : null) },
  { head: 'calls of known cost', cell: ({ sum }) => sum?.knownCalls ?? null },
  { head: 'possibly spent', cell: ({ sum }) => (sum ? toAmountText(sum.possibleMicros) : null) },
  { head: 'calls of unknown cost', cell: ({ sum }) => sum?.possibleCalls ?? null },
  { head: 'of them without a bound', cell: ({ sum }) => sum?.unboundedCalls ?? null },
  { head: 'calls under way', cell: ({ sum }) => sum?.openCalls ?? null },
  { head: 'calls without a written cost', cell: ({ day }) => day.unpricedCalls },
];

/** What was charged and what the upstreams took, by day and currency. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const days = readChoice(request.url, 'days', ['7', '30']) === '30' ? 30 : 7;
  const costs = await loadOrThrow(request, context.trpc.overview.costs({ days }));
  const rows = costs.days.flatMap((day): Row[] =>
    day.sums.length === 0 ? [{ day, sum: null }] : day.sums.map((sum) => ({ day, sum })),
  );
  return csvResponse('costs.csv', csvText(COLUMNS, rows));
}
