import { expect, it, vi } from 'vitest';
import { streamCsv } from './stream-csv.ts';

const columns = [{ head: 'n', cell: ({ n }: { n: number }) => n }];

it('reads a page only when the one before was taken, and ends a list that is too long with a line that says so', async () => {
  const readPage = vi.fn(async (cursor: string | undefined) => {
    const start = Number(cursor ?? 0);
    return { items: [{ n: start }, { n: start + 1 }], nextCursor: String(start + 2) };
  });
  const response = await streamCsv({ fileName: 'list.csv', columns, readPage, mostRows: 5 });
  expect(readPage.mock.calls.length).toBeLessThanOrEqual(2);
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="list.csv"');
  expect(await response.text()).toBe(
    'n\r\n0\r\n1\r\n2\r\n3\r\n4\r\n"Only the first 5 rows are here: narrow the filters."\r\n',
  );
});

it('has a head line without a row, fails before anything is sent, and breaks off when a later page fails', async () => {
  const none = await streamCsv({
    fileName: 'list.csv',
    columns,
    readPage: async () => ({ items: [], nextCursor: null }),
  });
  expect(await none.text()).toBe('n\r\n');
  const refused = streamCsv({
    fileName: 'list.csv',
    columns,
    readPage: () => Promise.reject(new Error('no')),
  });
  await expect(refused).rejects.toThrow('no');
  const broken = await streamCsv({
    fileName: 'list.csv',
    columns,
    readPage: async (cursor) => {
      if (cursor) throw new Error('gone');
      return { items: [{ n: 1 }], nextCursor: 'next' };
    },
  });
  await expect(broken.text()).rejects.toThrow('gone');
});
