import type { AppLoadContext } from '@remix-run/node';
import { z } from 'zod';
import { moneyReason } from '#server/billing/schemas.ts';
import { type BulkReport, MOST_BULK } from '#server/lib/schemas.ts';
import { countMatching, type MatchingReport, newestId, runMatching } from './bulk-matching.ts';
import { runForm } from './form.ts';
import { isUuid } from './read-query.ts';
import { loadOrThrow } from './trpc-errors.ts';

/** Name of the form that confirms a bulk action. */
export const BULK_FORM = 'bulk';
export const bulkReasonForm = z.object({ reason: moneyReason });

type Trpc = AppLoadContext['trpc'];
type Page<Row> = { items: Row[]; nextCursor: string | null };

/** A list whose rows something can be done to, many at once. */
export type Bulk<Deed extends string, Filters, Row> = {
  deeds: readonly Deed[];
  idOf(row: Row): string;
  /** Filters as the address of the list has them; its order too, of which only what it leaves out counts. */
  filters(url: string): Filters;
  list(
    trpc: Trpc,
    page: Partial<Filters> & { ids?: string[]; cursor?: string; limit: number },
  ): Promise<Page<Row>>;
  /** Rows that the list leaves out in the order that was chosen; all are in it unless told. */
  isListed?(row: Row, filters: Filters): boolean;
  run(trpc: Trpc, input: { deed: Deed; ids: string[]; reason: string }): Promise<BulkReport>;
};

type Args = { request: Request; context: AppLoadContext };
type BulkAnswer = { report: BulkReport; matching: MatchingReport | null };

/** What to do to which rows, and where the list was left, from the address of the page that asks again. */
function readBulk<Deed extends string>(requestUrl: string, deeds: readonly Deed[]) {
  const params = new URL(requestUrl).searchParams;
  const back = params.get('back') ?? '';
  return {
    deed: deeds.find((deed) => deed === params.get('do')) ?? null,
    /** Everything that the filters of the list find, on whatever page. */
    all: params.has('all'),
    ids: [...new Set(params.getAll('id').filter(isUuid))].slice(0, MOST_BULK),
    back: back.startsWith('?') ? back : '',
  };
}

/** The rows that were chosen; of all that match, how many there are and the first of them. */
export async function loadBulk<Deed extends string, Filters extends object, Row>(
  { request, context }: Args,
  bulk: Bulk<Deed, Filters, Row>,
) {
  const { deed, all, ids, back } = readBulk(request.url, bulk.deeds);
  if (!all) {
    const page = { ids, limit: MOST_BULK } as Parameters<typeof bulk.list>[1];
    const { items } = await loadOrThrow(request, bulk.list(context.trpc, page));
    return { deed, back, items, matching: null };
  }
  const before = newestId(Date.now());
  const found = await loadOrThrow(request, countMatching(walkOf(context, bulk, back), before));
  return { deed, back, items: found.first, matching: { before, count: found.count, more: found.more } };
}

/**
 * Runs the form of that page.
 *
 * @throws Response 400 for an address that names no action or no row
 */
export async function runBulk<Deed extends string, Filters extends object, Row>(
  { request, context }: Args,
  bulk: Bulk<Deed, Filters, Row>,
) {
  const { deed, all, ids, back } = readBulk(request.url, bulk.deeds);
  if (deed === null || (!all && ids.length === 0)) {
    throw new Response('Choose what to do, and at least one row. Go back to the list.', { status: 400 });
  }
  const form = await request.formData();
  return runForm(request, form, {
    name: BULK_FORM,
    schema: bulkReasonForm,
    run: async ({ reason }): Promise<BulkAnswer> => {
      if (!all) return { report: await bulk.run(context.trpc, { deed, ids, reason }), matching: null };
      return runMatching(walkOf(context, bulk, back), {
        form,
        run: (some) => bulk.run(context.trpc, { deed, ids: some, reason }),
      });
    },
  });
}

/** Pages of all that the filters find, newest first: what is new meanwhile is never among them. */
function walkOf<Deed extends string, Filters extends object, Row>(
  { trpc }: AppLoadContext,
  bulk: Bulk<Deed, Filters, Row>,
  back: string,
) {
  const chosen = bulk.filters(`http://list.invalid/${back}`);
  const place = new URL(`http://list.invalid/${back}`);
  for (const param of ['sort', 'cursor']) place.searchParams.delete(param);
  const filters = bulk.filters(place.href);
  return {
    idOf: bulk.idOf,
    async page(cursor: string, limit: number): Promise<Page<Row>> {
      const page = { ...filters, cursor, limit } as Parameters<typeof bulk.list>[1];
      const { items, nextCursor } = await bulk.list(trpc, page);
      return { items: items.filter((row) => bulk.isListed?.(row, chosen) ?? true), nextCursor };
    },
  };
}

/** What the action answered; null before it was asked. */
export function readReport(actionData: unknown): BulkAnswer | null {
  if (typeof actionData !== 'object' || actionData === null || !('report' in actionData)) return null;
  return actionData as BulkAnswer;
}

/** Only so that the parts of a list's actions find each other's types. */
export const defineBulk = <Deed extends string, Filters extends object, Row>(
  bulk: Bulk<Deed, Filters, Row>,
): Bulk<Deed, Filters, Row> => bulk;
