import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { findEntryByKey, userExists } from './admin-queries.ts';
import { postEntry } from './ledger.ts';
import { insertAccount } from './queries.ts';
import type { AdjustInput } from './schemas.ts';
import { InsufficientCreditsError } from './write-entry.ts';

/**
 * An administrator gives credits to a user or takes them, with a reason; the ledger entry and the audit row commit
 * together. The form sent twice adjusts once. Nothing more can be taken than can be spent.
 *
 * @returns whether something moved; false: this form was sent before
 * @throws AppError `not_found`; `conflict` when the form was used for something else; `unprocessable` when there is
 *   less to take
 */
export async function adjustCredits(
  deps: Pick<Deps, 'db'>,
  input: AdjustInput & { operatorId: string },
): Promise<{ moved: boolean }> {
  const { userId, credits, validDays, reason, operatorId } = input;
  const key = `adjust:${input.key}`;
  try {
    return await deps.db.transaction(async (tx) => {
      if (!(await userExists(tx, userId))) throw new AppError('not_found', 'There is no such user.');
      await insertAccount(tx, userId);
      const moved = await postEntry(tx, {
        userId,
        kind: 'adjustment',
        deltaCredits: credits,
        key,
        actor: `operator:${operatorId}`,
        reason,
        bucket: { kind: 'granted', validDays },
      });
      if (moved) {
        const data = { credits, validDays, key };
        await recordAudit(tx, {
          actorId: operatorId,
          action: 'user.adjust',
          subjectId: userId,
          reason,
          data,
        });
        return { moved };
      }
      const before = await findEntryByKey(tx, key);
      if (before?.userId !== userId || before.deltaCredits !== credits) {
        throw new AppError('conflict', 'This form was used for another adjustment. Reload the page.');
      }
      return { moved };
    });
  } catch (error) {
    if (!(error instanceof InsufficientCreditsError)) throw error;
    throw new AppError(
      'unprocessable',
      `Only ${error.spendable} credits can be taken from this user: nothing was done. Enter at most that.`,
      { field: 'credits', cause: error },
    );
  }
}
