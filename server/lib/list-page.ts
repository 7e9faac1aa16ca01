type Sorted = { sortKey: string; id: string };

/** The cursor of the page behind this row. */
export function cursorOf(row: Sorted): string {
  return row.sortKey === '' ? row.id : `${row.sortKey}.${row.id}`;
}

/** Cuts a page that was read with one row more than asked for. */
export function pageOf<Row extends Sorted>(
  rows: readonly Row[],
  limit: number,
): { rows: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > limit && last ? cursorOf(last) : null };
}
