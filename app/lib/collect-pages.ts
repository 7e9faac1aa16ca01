type Page<Row> = { items: readonly Row[]; nextCursor: string | null };

/**
 * Every row of a list that is read page by page, in its order, at most `maxRows` of them.
 *
 * @returns `cut`: there are more
 */
export async function collectPages<Row>(
  readPage: (cursor: string | undefined) => Promise<Page<Row>>,
  maxRows: number,
): Promise<{ rows: Row[]; cut: boolean }> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    rows.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && rows.length < maxRows);
  return { rows: rows.slice(0, maxRows), cut: cursor !== undefined || rows.length > maxRows };
}
