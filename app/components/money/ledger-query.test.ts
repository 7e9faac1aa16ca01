import { describe, expect, it } from 'vitest';
import { ledgerSearch, readLedgerQuery } from './ledger-query.ts';

const CURSOR = '0190a0b0-0000-7000-8000-000000000001';
const read = (query: string) => readLedgerQuery(new URLSearchParams(query));

describe('readLedgerQuery', () => {
  it('reads kind, UTC days and page', () => {
    expect(read(`kind=purchase&from=2026-11-01&to=2026-11-30&cursor=${CURSOR}`)).toEqual({
      kind: 'purchase',
      from: '2026-11-01',
      to: '2026-11-30',
      cursor: CURSOR,
    });
  });

  it('takes an untouched filter form as no filter', () => {
    expect(read('kind=&from=&to=')).toEqual({});
  });

  it.each(['kind=gift', 'from=2026-02-30', 'from=30.11.2026', 'to=tomorrow', 'cursor=1;drop', '__proto__=x'])(
    'takes %s as absent',
    (query) => expect(read(query)).toEqual({}),
  );
});

it('writes the filters back, without the page', () => {
  expect(ledgerSearch(read(`to=2026-11-30&kind=hold&cursor=${CURSOR}`))).toBe('?kind=hold&to=2026-11-30');
  expect(ledgerSearch({})).toBe('');
});
