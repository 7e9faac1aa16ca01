import { describe, expect, it } from 'vitest';
import { type CsvCell, csvResponse, csvText } from './csv.ts';

const single = (value: CsvCell) =>
  csvText([{ head: 'value', cell: (cell: CsvCell) => cell }], [value])
    .split('\r\n')
    .slice(1, -1)
    .join('\r\n');

describe('csvText', () => {
  it('writes a head line, ISO moments in UTC, empty cells for nothing, and CRLF after every line', () => {
    const text = csvText<{ at: Date; credits: number; note: string | null }>(
      [
        { head: 'date', cell: (row) => row.at },
        { head: 'credits', cell: (row) => row.credits },
        { head: 'note', cell: (row) => row.note },
      ],
      [
        { at: new Date('2026-11-29T23:59:59.999Z'), credits: -5, note: null },
        { at: new Date('2026-11-30T00:00:00Z'), credits: 1_000_000, note: 'Pack "L", 30 days' },
      ],
    );
    expect(text).toBe(
      'date,credits,note\r\n' +
        '2026-11-29T23:59:59.999Z,-5,\r\n' +
        '2026-11-30T00:00:00.000Z,1000000,"Pack ""L"", 30 days"\r\n',
    );
  });

  it('writes the head line though there is no row', () => {
    expect(csvText([{ head: 'date', cell: () => null }], [])).toBe('date\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1'])('leaves %j as text that no spreadsheet runs', (text) =>
    expect(single(text)).toBe(`'${text}`),
  );

  it('leaves formulas inside a quoted cell as text, too', () => {
    expect(single('=HYPERLINK("http://evil.example.com","x")')).toBe(
      '"\'=HYPERLINK(""http://evil.example.com"",""x"")"',
    );
  });

  it.each(['a;=1+1', 'a\t=1+1'])('lets no other separator begin a cell of its own: %j', (text) => {
    expect(single(text)).toBe(`"${text}"`);
    expect(single(`\t${text}`)).toBe(`"'\t${text}"`);
  });

  it('keeps a line break inside its cell', () => {
    expect(single('two\r\nlines')).toBe('"two\r\nlines"');
    expect(single('two\nlines')).toBe('"two\nlines"');
  });

  it('keeps numbers as numbers, a negative one too', () => {
    expect(single(-12)).toBe('-12');
    expect(single(0)).toBe('0');
  });
});

it('answers a download that no cache keeps and a spreadsheet reads as UTF-8', async () => {
  const response = csvResponse('ledger-2026-11-29.csv', 'reason\r\nGrüße\r\n');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="ledger-2026-11-29.csv"');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const bytes = new Uint8Array(await response.clone().arrayBuffer());
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(await response.text()).toBe('reason\r\nGrüße\r\n');
});
