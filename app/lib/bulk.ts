import { z } from 'zod';
import { moneyReason } from '#server/billing/schemas.ts';
import { type BulkReport, MOST_BULK } from '#server/lib/schemas.ts';
import { runForm } from './form.ts';
import { isUuid } from './read-query.ts';

/** Name of the form that confirms a bulk action. */
export const BULK_FORM = 'bulk';
export const bulkReasonForm = z.object({ reason: moneyReason });

type BulkAnswer = { report: BulkReport };

/** What to do to which rows, and where the list was left, from the address of the page that asks again. */
export function readBulk<Deed extends string>(requestUrl: string, deeds: readonly Deed[]) {
  const params = new URL(requestUrl).searchParams;
  const back = params.get('back') ?? '';
  return {
    deed: deeds.find((deed) => deed === params.get('do')) ?? null,
    ids: [...new Set(params.getAll('id').filter(isUuid))].slice(0, MOST_BULK),
    back: back.startsWith('?') ? back : '',
  };
}

/**
 * Runs the form of that page.
 *
 * @throws Response 400 for an address that names no action or no row
 */
export async function runBulkForm<Deed extends string>(
  request: Request,
  deeds: readonly Deed[],
  run: (input: { deed: Deed; ids: string[]; reason: string }) => Promise<BulkReport>,
) {
  const { deed, ids } = readBulk(request.url, deeds);
  if (deed === null || ids.length === 0) {
    throw new Response('Choose what to do, and at least one row. Go back to the list.', { status: 400 });
  }
  return runForm(request, await request.formData(), {
    name: BULK_FORM,
    schema: bulkReasonForm,
    run: async ({ reason }): Promise<BulkAnswer> => ({ report: await run({ deed, ids, reason }) }),
  });
}

export function readReport(actionData: unknown): BulkReport | null {
  if (typeof actionData !== 'object' || actionData === null || !('report' in actionData)) return null;
  return (actionData as BulkAnswer).report;
}
