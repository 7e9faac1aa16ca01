import type { Deps } from '#server/deps.ts';
import { pageOf } from '#server/lib/list-page.ts';
import { formatCode } from './format-code.ts';
import { noSuchBatch } from './manage-batches.ts';
import { type CountedBatch, findBatch, listBatches, listCodes } from './queries.ts';
import type { BatchesInput, BatchPage, BatchView, CodePage } from './schemas.ts';

/** One page of batches, in the order asked for. */
export async function readBatches(deps: Pick<Deps, 'db'>, input: BatchesInput): Promise<BatchPage> {
  const { rows, nextCursor } = pageOf(
    await listBatches(deps.db, { ...input, limit: input.limit + 1 }),
    input.limit,
  );
  return { items: rows.map(({ sortKey: _, ...batch }) => toBatchView(batch)), nextCursor };
}

/** @throws AppError not_found */
export async function readBatch(deps: Pick<Deps, 'db'>, batchId: string): Promise<BatchView> {
  const row = await findBatch(deps.db, batchId);
  if (!row) throw noSuchBatch();
  return toBatchView(row);
}

/**
 * One page of a batch's codes, in the order in which they were made; an export asks for page after page.
 *
 * @throws AppError not_found
 */
export async function readCodes(
  deps: Pick<Deps, 'db'>,
  input: { batchId: string; cursor?: string; limit: number },
): Promise<CodePage> {
  await readBatch(deps, input.batchId);
  const rows = await listCodes(deps.db, { ...input, limit: input.limit + 1 });
  const items = rows.slice(0, input.limit);
  return {
    items: items.map(({ redeemer, code, ...row }) => ({
      ...row,
      code: formatCode(code),
      redeemedByEmail: redeemer && (redeemer.deletedAt ? 'Deleted user' : redeemer.email),
    })),
    nextCursor: rows.length > input.limit ? (items.at(-1)?.id ?? null) : null,
  };
}

function toBatchView({ createdBy: _, expired, ...batch }: CountedBatch): BatchView {
  return { ...batch, state: stateOf({ ...batch, expired }) };
}

function stateOf(batch: Omit<CountedBatch, 'createdBy'>): BatchView['state'] {
  if (batch.revokedAt) return 'revoked';
  if (batch.redeemedCount >= batch.codeCount) return 'used_up';
  return batch.expired ? 'expired' : 'open';
}
