import type { Tx } from '#server/db/client.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import { readTypedCode } from '#server/lib/typed-codes.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { postEntry } from '../ledger.ts';
import { CODE_CHARACTERS } from './format-code.ts';
import { type CodeWithBatch, findCode, readIncome, takeCode } from './queries.ts';
import type { Redeemed } from './schemas.ts';

/**
 * Gives a code's credits to a person, once: the code is taken and the credits are posted in one transaction, under the
 * ledger key `redeem:code:<id>`. The same person asking again, say because the answer was lost, is told the same and
 * nothing moves. Tries are counted before the look, so parallel guesses can't slip past; a code that gives something
 * gives the tries back.
 *
 * @throws AppError not_found for an unknown code, conflict for one that is used, expired, revoked or the person's second
 *   of a batch, too_many_requests
 */
export async function redeemCode(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; code: string; limits: RateLimits | undefined },
): Promise<Redeemed> {
  const { userId, limits } = input;
  await limits?.consume('redeem', userId);
  const code = readTypedCode(input.code, CODE_CHARACTERS);
  if (code === undefined) throw unknownCode();
  try {
    const redeemed = await deps.db.transaction(async (tx) => {
      const found = await findCode(tx, code);
      if (!found) throw unknownCode();
      const repeated = !(await takeFor(tx, userId, found));
      if (!repeated) await postCredits(tx, userId, found);
      await crashPoint('redeem.before-commit');
      const { credits, title } = found.batch;
      return { credits, title, repeated, ...(await readIncome(tx, { userId, key: redeemKey(found.id) })) };
    });
    if (!redeemed.repeated) await limits?.reset('redeem', userId);
    return redeemed;
  } catch (error) {
    if (isUniqueViolation(error, 'redeem_codes_once_key')) {
      throw refused('You have redeemed a code of this batch already. It gives one to each person.');
    }
    throw error;
  }
}

const redeemKey = (codeId: string): string => `redeem:code:${codeId}`;

/** @returns false when the code was this person's before */
async function takeFor(tx: Tx, userId: string, found: CodeWithBatch): Promise<boolean> {
  const { id: codeId, batch } = found;
  if (found.redeemedBy === userId) return false;
  if (found.redeemedBy !== null) throw used();
  if (batch.revokedAt) throw refused('This code was withdrawn. Ask whoever gave it to you.');
  if (found.expired) throw refused('This code has expired. Ask whoever gave it to you for a new one.');
  if (await takeCode(tx, { codeId, userId, oncePerUser: batch.oncePerUser })) return true;
  // Somebody was faster: this person in another tab, or someone else.
  if ((await findCode(tx, found.code))?.redeemedBy === userId) return false;
  throw used();
}

async function postCredits(tx: Tx, userId: string, { id, batch }: CodeWithBatch): Promise<void> {
  await postEntry(tx, {
    userId,
    kind: 'redeem',
    deltaCredits: batch.credits,
    key: redeemKey(id),
    bucket: { kind: 'promotional', validDays: batch.validDays },
    actor: `user:${userId}`,
    reason: `Redeemed: ${batch.title}`,
  });
}

const unknownCode = () =>
  new AppError(
    'not_found',
    'There is no such code. Compare it with what you were given, character by character.',
    {
      field: 'code',
    },
  );
const used = () => refused('This code was used by somebody else. Each code works once.');
const refused = (message: string) => new AppError('conflict', message, { field: 'code' });
