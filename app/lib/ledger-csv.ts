import { ledgerKindLabel } from '#app/components/money/ledger-words.ts';
import type { AdminLedgerEntryView, LedgerEntryView } from '#server/billing/schemas.ts';
import { collectPages } from './collect-pages.ts';
import { type CsvColumn, csvText } from './csv.ts';

const PAGE_ROWS = 100;
const MAX_ROWS = 20_000;

/** Of entries, and of the row that says what is not in the file: it has a reason alone. */
type LedgerColumn<Entry> = CsvColumn<Partial<Entry>>;

const MOVEMENT: readonly LedgerColumn<LedgerEntryView>[] = [
  { head: 'date', cell: (entry) => entry.at ?? null },
  { head: 'kind', cell: (entry) => (entry.kind ? ledgerKindLabel(entry.kind) : null) },
  { head: 'credits', cell: (entry) => entry.deltaCredits ?? null },
  { head: 'balance after', cell: (entry) => entry.balanceAfterCredits ?? null },
  { head: 'reason', cell: (entry) => entry.reason ?? null },
];

const SUBJECT: readonly LedgerColumn<LedgerEntryView>[] = [
  { head: 'task', cell: (entry) => entry.taskId ?? null },
  { head: 'order', cell: (entry) => entry.orderId ?? null },
];

export const OWN_LEDGER: readonly LedgerColumn<LedgerEntryView>[] = [...MOVEMENT, ...SUBJECT];

export const ADMIN_LEDGER: readonly LedgerColumn<AdminLedgerEntryView>[] = [
  { head: 'id', cell: (entry) => entry.id ?? null },
  ...MOVEMENT,
  { head: 'actor', cell: (entry) => entry.actor ?? null },
  { head: 'key', cell: (entry) => entry.key ?? null },
  ...SUBJECT,
];

type ReadPage<Entry> = (page: {
  cursor: string | undefined;
  limit: number;
}) => Promise<{ items: readonly Entry[]; nextCursor: string | null }>;

/**
 * A ledger as CSV, newest first, read page by page: at most 20,000 entries, and a last row says so when there are more.
 * `maxRows` is for tests.
 */
export async function ledgerCsv<Entry extends LedgerEntryView>(
  columns: readonly LedgerColumn<Entry>[],
  readPage: ReadPage<Entry>,
  maxRows = MAX_ROWS,
): Promise<string> {
  const { rows, cut } = await collectPages((cursor) => readPage({ cursor, limit: PAGE_ROWS }), maxRows);
  const note: Partial<LedgerEntryView> = {
    reason: `Only the newest ${maxRows} entries are in this file. Narrow the days for the others.`,
  };
  return csvText<Partial<Entry>>(columns, cut ? [...rows, note as Partial<Entry>] : rows);
}
