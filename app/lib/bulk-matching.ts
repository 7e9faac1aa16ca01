import { z } from 'zod';
import { type BulkReport, isListCursor, MOST_BULK, MOST_LISTED } from '#server/lib/schemas.ts';

/** One thing done to everything that a list's filters find, in bounded parts. */

/** Rows of one confirmation at most: more are done by narrowing the filters, or by asking again. */
export const MOST_MATCHING = 5_000;
/** What is shown of them before, and of what was refused after. */
const SHOWN = 20;
const REFUSALS = 50;
/** A part ends before proxies give up on its answer; the page then offers to go on. */
const BUDGET_MS = 20_000;
/** A list that has to look through much answers with short pages. */
const MOST_PAGES = 100;

type Walk<Row> = {
  idOf(row: Row): string;
  page(cursor: string, limit: number): Promise<{ items: Row[]; nextCursor: string | null }>;
};

export type MatchingReport = {
  done: number;
  refused: number;
  /** Where the next part begins; null: all of it is done, or the most that one confirmation may do. */
  next: string | null;
  /** More match than one confirmation may do. */
  capped: boolean;
};

/** No row made by now is behind it, and every later one is: ids begin with their milliseconds. */
export function newestId(ms: number): string {
  const hex = Math.floor(ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7fff-bfff-ffffffffffff`;
}

/** How many match, counted up to {@link MOST_MATCHING}, and the first of them. */
export async function countMatching<Row>(
  { page }: Walk<Row>,
  before: string,
): Promise<{ count: number; more: boolean; first: Row[] }> {
  let cursor: string | null = before;
  let count = 0;
  const first: Row[] = [];
  for (let pages = 0; cursor !== null && count < MOST_MATCHING && pages < MOST_PAGES; pages += 1) {
    const { items, nextCursor }: Awaited<ReturnType<typeof page>> = await page(cursor, MOST_LISTED);
    count += items.length;
    first.push(...items.slice(0, SHOWN - first.length));
    cursor = nextCursor;
  }
  return { count: Math.min(count, MOST_MATCHING), more: cursor !== null || count > MOST_MATCHING, first };
}

const count = z.coerce.number().int().min(0).max(MOST_MATCHING).catch(0);

/** Where a confirmation stands, from the hidden fields of its form. */
const standing = z.object({
  before: z.string().refine(isListCursor),
  done: count,
  refused: count,
});

/**
 * Does it to the next part: rows in groups, each row in its own transaction, until all are done or the time of one request
 * is over. The place in the list goes along, so that no row is met twice, whether it still matches or not.
 *
 * @throws Response 400 for a form that was not made by the page
 */
export async function runMatching<Row>(
  walk: Walk<Row>,
  input: { form: FormData; run(ids: string[]): Promise<BulkReport>; budgetMs?: number },
): Promise<{ report: BulkReport; matching: MatchingReport }> {
  const at = standing.safeParse(Object.fromEntries(input.form));
  if (!at.success) throw new Response('Go back to the list, and choose what to do.', { status: 400 });
  const endsAt = performance.now() + (input.budgetMs ?? BUDGET_MS);
  const refusals: BulkReport['results'] = [];
  let { done, refused } = at.data;
  let cursor: string | null = at.data.before;
  do {
    const room = Math.min(MOST_BULK, MOST_MATCHING - done - refused);
    const page: Awaited<ReturnType<typeof walk.page>> = await walk.page(cursor, Math.max(1, room));
    if (room <= 0) {
      const capped = page.items.length > 0 || page.nextCursor !== null;
      return { report: { results: refusals }, matching: { done, refused, next: null, capped } };
    }
    const ids = page.items.map(walk.idOf);
    const { results } = ids.length === 0 ? { results: [] } : await input.run(ids);
    const no = results.filter(({ ok }) => !ok);
    done += results.length - no.length;
    refused += no.length;
    refusals.push(...no.slice(0, REFUSALS - refusals.length));
    cursor = page.nextCursor;
  } while (cursor !== null && performance.now() < endsAt);
  return { report: { results: refusals }, matching: { done, refused, next: cursor, capped: false } };
}
