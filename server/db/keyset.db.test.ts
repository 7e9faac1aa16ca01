import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageOf } from '#server/lib/list-page.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { keyset } from './keyset.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
  await t.sql`create table listed (id uuid primary key, at timestamptz not null, amount bigint not null)`;
});
afterAll(() => t.close());

const COLUMNS = {
  made: null,
  at: { column: sql`l.at`, type: 'moment' },
  amount: { column: sql`l.amount`, type: 'number' },
} as const;
type Sort = keyof typeof COLUMNS;

async function walk(sort: Sort, descending: boolean, limit: number): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { after, orderBy, sortKey } = keyset({ sort, descending, cursor, columns: COLUMNS, id: sql`l.id` });
    const rows = await t.db.execute<{ id: string; sortKey: string }>(sql`
      select l.id, ${sortKey} as "sortKey" from listed l where ${after ?? sql`true`}
      order by ${sql.join(orderBy, sql`, `)} limit ${limit + 1}`);
    const page = pageOf(rows, limit);
    seen.push(...page.rows.map((row) => row.id));
    if (seen.length > 100) throw new Error('Rows come again');
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return seen;
}

it('loses no row and repeats none, whatever is equal, in both directions and for every size of page', async () => {
  for (const spread of [1, 3, 40]) {
    await t.sql`truncate listed`;
    // Moments that differ by a microsecond: a millisecond of JavaScript holds many of them.
    await t.sql`insert into listed select gen_random_uuid(),
      '2026-01-05T10:00:00.000001Z'::timestamptz + (n * 7 % ${spread}) * interval '1 microsecond',
      (n * 11 % ${spread}) - 1 from generate_series(1, 40) n`;
    for (const [sort, order] of [
      ['made', 'id'],
      ['at', 'at, id'],
      ['amount', 'amount, id'],
    ] as const) {
      const all = await t.sql.unsafe<{ id: string }[]>(`select id from listed order by ${order}`);
      const expected = all.map((row) => row.id);
      for (const limit of [1, 7, 40, 41]) {
        expect(await walk(sort, false, limit), `${sort}, spread ${spread}, ${limit} a page`).toEqual(
          expected,
        );
        expect(await walk(sort, true, limit)).toEqual([...expected].reverse());
      }
    }
  }
});

it('shows the first page for a cursor of another order', () => {
  const cursor = '0190a0b0-0000-7000-8000-000000000001';
  const input = { descending: true, columns: COLUMNS, id: sql`l.id` };
  expect(keyset({ ...input, sort: 'amount', cursor }).after).toBeUndefined();
  expect(keyset({ ...input, sort: 'amount', cursor: `no-number.${cursor}` }).after).toBeUndefined();
  expect(keyset({ ...input, sort: 'made', cursor: 'nonsense' }).after).toBeUndefined();
});
