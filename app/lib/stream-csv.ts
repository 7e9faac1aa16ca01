import { type CsvColumn, csvHeaders, csvText } from './csv.ts';

type Page<Row> = { items: readonly Row[]; nextCursor: string | null };

/** Rows of one export at most. */
const MOST_ROWS = 100_000;

type CsvSource<Row> = {
  /** Ours: letters, digits, dashes and dots. */
  fileName: string;
  columns: readonly CsvColumn<Row>[];
  readPage(cursor: string | undefined): Promise<Page<Row>>;
  mostRows?: number;
};

/**
 * A list as a CSV file, sent page by page as it is read, so that no export fills the memory. A list that is longer than
 * an export may be ends with a line that says so.
 *
 * @throws whatever the first page throws; a later page that fails breaks the download off
 */
export async function streamCsv<Row>(source: CsvSource<Row>): Promise<Response> {
  const { columns, readPage, fileName, mostRows = MOST_ROWS } = source;
  const encoder = new TextEncoder();
  let page: Page<Row> | null = await readPage(undefined);
  let sent = 0;
  let isFirst = true;

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (page === null) {
        controller.close();
        return;
      }
      const rows = page.items.slice(0, mostRows - sent);
      sent += rows.length;
      const text = csvText(columns, rows, { head: isFirst });
      const cut = sent >= mostRows && (page.nextCursor !== null || rows.length < page.items.length);
      const end = cut ? `"Only the first ${mostRows} rows are here: narrow the filters."\r\n` : '';
      const next = cut ? null : page.nextCursor;
      controller.enqueue(encoder.encode(`${isFirst ? '\uFEFF' : ''}${text}${end}`));
      isFirst = false;
      page = next === null ? null : await readPage(next);
    },
  });
  return new Response(body, { headers: csvHeaders(fileName) });
}
