import { stringify } from 'csv-stringify/sync';

export type CsvCell = string | number | Date | null;

export type CsvColumn<Row> = { head: string; cell(row: Row): CsvCell };

/**
 * Rows as CSV by RFC 4180: a head line (unless it is a later part of a file), lines end with CRLF, moments as ISO 8601 in UTC. Text that a spreadsheet would
 * run as a formula (it starts with `=`, `+`, `-`, `@` or a tab) gets a `'` in front; numbers stay numbers.
 */
export function csvText<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
  { head = true }: { head?: boolean } = {},
): string {
  const lines = rows.map((row) => columns.map((column) => column.cell(row)));
  return stringify(lines, {
    header: head,
    columns: columns.map((column) => column.head),
    record_delimiter: 'windows',
    escape_formulas: true,
    // The library quotes only its own line end and delimiter. A bare line end would break the row for most readers, and where
    // lists are separated by semicolons or tabs, what follows one would be a cell of its own: a formula, perhaps.
    quoted_match: /[\r\n;\t]/,
    cast: { date: (moment) => moment.toISOString() },
  });
}

/** Headers of a CSV file to download, never kept by a cache. */
export function csvHeaders(fileName: string): Record<string, string> {
  return {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
}

/** A CSV file to download, never kept by a cache. `fileName` is ours: letters, digits, dashes and dots. */
export function csvResponse(fileName: string, text: string): Response {
  // The byte order mark tells spreadsheets that the file is UTF-8.
  return new Response(`\uFEFF${text}`, { headers: csvHeaders(fileName) });
}
