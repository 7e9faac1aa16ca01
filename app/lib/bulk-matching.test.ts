import { describe, expect, it, vi } from 'vitest';
import type { BulkReport } from '#server/lib/schemas.ts';
import { countMatching, MOST_MATCHING, newestId, runMatching } from './bulk-matching.ts';

const idOf = (n: number) => `0190a0b0-0000-7000-8000-${String(n).padStart(12, '0')}`;
const START = newestId(Date.parse('2030-01-01T00:00:00Z'));

/** A list of rows `most` … 1, the newest first; `matches` says which its filters still find. */
function listOf(most: number, matches: (n: number) => boolean = () => true) {
  const page = vi.fn(async (cursor: string, limit: number) => {
    const from = cursor === START ? most : Number(cursor.slice(-12)) - 1;
    const items: number[] = [];
    for (let n = from; n >= 1 && items.length < limit; n -= 1) if (matches(n)) items.push(n);
    const last = items.at(-1);
    return { items, nextCursor: last === undefined || last === 1 ? null : idOf(last) };
  });
  return { page, idOf };
}

const formOf = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

const done = async (ids: string[]): Promise<BulkReport> => ({
  results: ids.map((id) => ({ id, ok: true, message: null })),
});

describe('how many match', () => {
  it('is counted over all pages, with the newest shown', async () => {
    const found = await countMatching(listOf(1_234), START);
    expect(found).toMatchObject({ count: 1_234, more: false });
    expect(found.first).toEqual(Array.from({ length: 20 }, (_, index) => 1_234 - index));
  });

  it('is counted up to what one confirmation may do', async () => {
    const list = listOf(12_000);
    expect(await countMatching(list, START)).toMatchObject({ count: MOST_MATCHING, more: true });
    expect(list.page).toHaveBeenCalledTimes(10);
    expect(await countMatching(listOf(MOST_MATCHING), START)).toMatchObject({
      count: MOST_MATCHING,
      more: false,
    });
  });
});

describe('doing it to all', () => {
  it('meets every row once, in groups, though what is done no longer matches', async () => {
    const gone = new Set<number>();
    const list = listOf(250, (n) => !gone.has(n));
    const groups: number[] = [];
    const run = async (ids: string[]) => {
      groups.push(ids.length);
      for (const id of ids) {
        const n = Number(id.slice(-12));
        expect(gone.has(n)).toBe(false);
        gone.add(n);
      }
      return done(ids);
    };
    const { matching } = await runMatching(list, { form: formOf({ before: START }), run });
    expect(matching).toEqual({ done: 250, refused: 0, next: null, capped: false });
    expect(groups).toEqual([100, 100, 50]);
  });

  it('stops when its time is over and goes on behind what was done, which may still match', async () => {
    const list = listOf(250);
    const seen: string[] = [];
    const run = async (ids: string[]) => {
      seen.push(...ids);
      return done(ids);
    };
    const first = await runMatching(list, { form: formOf({ before: START }), run, budgetMs: 0 });
    expect(first.matching).toEqual({ done: 100, refused: 0, next: idOf(151), capped: false });
    const rest = formOf({ before: idOf(151), done: '100', refused: '0' });
    const second = await runMatching(list, { form: rest, run });
    expect(second.matching).toEqual({ done: 250, refused: 0, next: null, capped: false });
    expect(new Set(seen).size).toBe(250);
    expect(seen).toHaveLength(250);
  });

  it('tells what was refused, and counts all of it', async () => {
    const run = async (ids: string[]): Promise<BulkReport> => ({
      results: ids.map((id, index) => ({
        id,
        ok: index % 2 === 0,
        message: index % 2 ? 'It has ended.' : null,
      })),
    });
    const { report, matching } = await runMatching(listOf(200), { form: formOf({ before: START }), run });
    expect(matching).toMatchObject({ done: 100, refused: 100 });
    expect(report.results).toHaveLength(50);
    expect(report.results.every(({ ok, message }) => !ok && message === 'It has ended.')).toBe(true);
  });

  it('does no more than one confirmation may, however often it is sent on', async () => {
    const run = vi.fn(done);
    const form = formOf({ before: START, done: '4900', refused: '50' });
    const { matching } = await runMatching(listOf(12_000), { form, run });
    expect(matching).toEqual({ done: 4_950, refused: 50, next: null, capped: true });
    expect(run.mock.calls.flatMap(([ids]) => ids)).toHaveLength(50);
  });

  it.each<Record<string, string>>([{}, { before: 'x' }, { before: '' }])(
    'refuses a form that the page did not make: %j',
    async (fields) => {
      const error = await runMatching(listOf(1), { form: formOf(fields), run: done }).catch((each) => each);
      expect(error).toBeInstanceOf(Response);
      expect((error as Response).status).toBe(400);
    },
  );
});
