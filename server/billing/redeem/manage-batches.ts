import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { runBulk } from '#server/lib/run-bulk.ts';
import type { BulkReport } from '#server/lib/schemas.ts';
import { randomCode } from '#server/lib/typed-codes.ts';
import { readClock } from '../bucket-queries.ts';
import { CODE_CHARACTERS } from './format-code.ts';
import { findBatch, insertBatch, insertCodes, markRevoked } from './queries.ts';
import type { CreateBatchInput } from './schemas.ts';

/** A statement has at most 65,535 parameters. */
const CODES_PER_INSERT = 1_000;

/**
 * Makes a batch and its codes, audited, in one transaction. The form's key is the batch's id: the form sent twice, also
 * at once, makes one batch.
 *
 * @throws AppError unprocessable when the end is in the past, conflict when the key was used for another batch
 */
export async function createBatch(
  deps: Pick<Deps, 'db' | 'newId'>,
  input: CreateBatchInput & { adminId: string },
): Promise<{ batchId: string }> {
  const { key: batchId, adminId, ...terms } = input;
  await deps.db.transaction(async (tx) => {
    if (!(await insertBatch(tx, { ...terms, id: batchId, createdBy: adminId }))) {
      const existing = await findBatch(tx, batchId);
      if (existing && !isSame(existing, input)) {
        throw new AppError('conflict', 'This form has made another batch already. Reload the page.');
      }
      return;
    }
    if (terms.expiresAt && terms.expiresAt <= (await readClock(tx))) {
      throw new AppError('unprocessable', 'The end is in the past. Choose a later one.', {
        field: 'expiresAt',
      });
    }
    for (let made = 0; made < terms.codeCount; made += CODES_PER_INSERT) {
      const count = Math.min(CODES_PER_INSERT, terms.codeCount - made);
      const codes = Array.from({ length: count }, () => randomCode(CODE_CHARACTERS));
      await insertCodes(
        tx,
        codes.map((code) => ({ id: deps.newId(), batchId, code })),
      );
    }
    await recordAudit(tx, { actorId: adminId, action: 'redeem.create', subjectId: batchId, data: terms });
  });
  return { batchId };
}

const TERMS = ['title', 'credits', 'codeCount', 'validDays', 'oncePerUser'] as const;

function isSame(
  existing: BatchTerms & { createdBy: string },
  input: BatchTerms & { adminId: string },
): boolean {
  return (
    existing.createdBy === input.adminId &&
    existing.expiresAt?.getTime() === input.expiresAt?.getTime() &&
    TERMS.every((term) => existing[term] === input[term])
  );
}
type BatchTerms = Omit<CreateBatchInput, 'key'>;

/**
 * Ends a batch: its codes are taken no more. What was redeemed stays. Twice is once.
 *
 * @throws AppError not_found
 */
export async function revokeBatch(
  deps: Pick<Deps, 'db'>,
  input: { batchId: string; adminId: string; reason: string },
): Promise<void> {
  const { batchId, adminId, reason } = input;
  await deps.db.transaction(async (tx) => {
    if (await markRevoked(tx, batchId)) {
      await recordAudit(tx, { actorId: adminId, action: 'redeem.revoke', subjectId: batchId, reason });
      return;
    }
    const existing = await findBatch(tx, batchId);
    if (!existing) throw noSuchBatch();
  });
}

/** As {@link revokeBatch}, one batch after the other: what one is refused stops no other. */
export async function revokeBatches(
  deps: Pick<Deps, 'db' | 'logger'>,
  { batchIds, ...by }: { batchIds: readonly string[]; adminId: string; reason: string },
): Promise<BulkReport> {
  return runBulk(deps, batchIds, (batchId) => revokeBatch(deps, { ...by, batchId }));
}

export const noSuchBatch = () =>
  new AppError('not_found', 'There is no such batch. Go back to the list of codes.');
